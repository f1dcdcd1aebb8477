// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The language settings every Swift target is held to; Docs/Architecture.md says why each is on.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "baton-image",
  platforms: [.macOS(.v26), .iOS(.v26)],
  products: [
    .library(name: "BatonImage", targets: ["BatonImage", "BatonPlan"]),
    .library(name: "BatonDocuments", targets: ["BatonDocuments"]),
    .executable(name: "baton-image", targets: ["baton-image"]),
  ],
  targets: [
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(
      name: "CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CXXHash"),

    .target(name: "LMDB", dependencies: ["CLMDB"], swiftSettings: strict),
    .target(name: "BatonPlan", swiftSettings: strict),
    .target(
      name: "BatonImage",
      dependencies: ["LMDB", "BatonPlan", "CSimdjson", "CXXHash"],
      swiftSettings: strict),
    .target(name: "BatonDocuments", dependencies: ["BatonPlan"], swiftSettings: strict),
    .executableTarget(
      name: "baton-image",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments"],
      swiftSettings: strict),
    .executableTarget(
      name: "ImageBenchmarks",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "LMDB", "CLMDB", "CSQLite"],
      swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["MutexEdges"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "ImageFixtures", dependencies: ["BatonImage", "LMDB", "TestSupport"],
      path: "Tests/ImageFixtures",
      swiftSettings: strict),
    .target(name: "MutexEdges", path: "Tests/MutexEdges"),
    .target(name: "EngineFaults", dependencies: ["CLMDB"], path: "Tests/EngineFaults"),

    .target(
      name: "FuzzTargets",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "ImageFixtures"],
      path: "Fuzz/Targets", swiftSettings: strict),
    .executableTarget(
      name: "image-loader",
      dependencies: [
        "BatonImage", "BatonPlan", "BatonDocuments", "FuzzTargets", "ImageFixtures", "TestSupport",
      ],
      path: "Tests/ImageLoader", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "BatonImage", "BatonPlan", "BatonDocuments", "FuzzTargets", "ImageFixtures", "TestSupport",
        "image-loader",
      ],
      swiftSettings: strict),

    .testTarget(
      name: "LMDBTests", dependencies: ["LMDB", "TestSupport", "EngineFaults"],
      swiftSettings: strict),

    .testTarget(
      name: "BatonDocumentsTests", dependencies: ["BatonDocuments", "BatonPlan"],
      swiftSettings: strict),

    .testTarget(
      name: "VerifyTests", dependencies: ["BatonImage", "CLMDB", "ImageFixtures", "TestSupport"],
      swiftSettings: strict),

    .testTarget(
      name: "LensTests", dependencies: ["BatonImage", "BatonPlan", "TestSupport"],
      exclude: ["MustNotCompile"], swiftSettings: strict),

    .testTarget(
      name: "RefreshTests",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "LMDB", "TestSupport"],
      swiftSettings: strict),

    .testTarget(
      name: "BatonImageTests",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "LMDB", "TestSupport"],
      swiftSettings: strict),

    .testTarget(
      name: "CommandTests",
      dependencies: ["BatonImage", "BatonPlan", "ImageFixtures", "LMDB", "TestSupport"],
      swiftSettings: strict),

    .target(
      name: "LifeSupport",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "TestSupport"],
      path: "Tests/LifeSupport", swiftSettings: strict),
    .executableTarget(
      name: "image-neighbour", dependencies: ["BatonImage", "BatonPlan", "LifeSupport"],
      path: "Tests/ImageNeighbour", swiftSettings: strict),
    .testTarget(
      name: "ChangesTests",
      dependencies: [
        "BatonImage", "BatonPlan", "LifeSupport", "TestSupport", "image-neighbour",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LifeTests",
      dependencies: [
        "BatonImage", "BatonPlan", "EngineFaults", "ImageFixtures", "LMDB", "LifeSupport",
        "TestSupport",
        "image-neighbour",
      ],
      swiftSettings: strict),

    .target(
      name: "DurabilitySupport",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "MutexEdges"],
      path: "Tests/DurabilitySupport", swiftSettings: strict),
    .executableTarget(
      name: "image-worker", dependencies: ["BatonImage", "DurabilitySupport", "FlushRecorder"],
      path: "Tests/ImageWorker", swiftSettings: strict),
    .target(name: "FlushRecorder", path: "Tests/FlushRecorder"),
    .testTarget(
      name: "DurabilityTests",
      dependencies: [
        "BatonImage", "BatonPlan", "ImageFixtures", "LMDB", "DurabilitySupport", "TestSupport",
        "image-worker",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SharingTests",
      dependencies: [
        "BatonImage", "BatonPlan", "LMDB", "DurabilitySupport", "TestSupport", "image-worker",
      ],
      swiftSettings: strict),

    .testTarget(
      name: "ModelTests",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "TestSupport"],
      swiftSettings: strict),

    .testTarget(
      name: "FormatTests",
      dependencies: ["BatonImage", "BatonPlan", "BatonDocuments", "TestSupport", "baton-image"],
      exclude: ["OtherNames.txt", "PathKeys.txt", "RecordKeys.txt", "StorageKeys.txt"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

// The fuzzed targets as libFuzzer's programs, which Fuzz/run.sh builds: they need flags that
// nothing else is built with.
if ProcessInfo.processInfo.environment["IMAGE_FUZZ"] != nil {
  package.targets += [
    "Images", "Pages", "Rows", "Responses", "Documents", "Keys", "Configuration",
  ].map { name in
    .executableTarget(
      name: "Fuzz\(name)", dependencies: ["FuzzTargets"], path: "Fuzz/Entry/\(name)",
      swiftSettings: strict)
  }
}
