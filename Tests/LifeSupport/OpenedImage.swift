public import BatonImage
public import TestSupport

/// An open image in a folder of its own, which goes with it.
public struct OpenedImage: Sendable {
  public let folder: TemporaryFolder
  public let path: String
  public let image: Image

  public init() throws {
    folder = try TemporaryFolder()
    path = folder.file("a.image")
    image = try Image.open(path: path)
  }
}
