import BatonImage
import ImageFixtures
import Testing

#if !DEBUG
  /// Runs in release builds only: `swift test -c release`.
  @Suite(.serialized) struct SpeedTests {
    let scratch = Scratch()

    @Test func `an image of 100 MB is verified within a second and read from within milliseconds`()
      throws
    {
      let path = scratch.path("large.image")
      try ImageFixture.sample(extra: 215_000).write(to: path)
      let clock = ContinuousClock()
      var report = VerificationReport()
      let elapsed = try clock.measure { report = try Verifier.verify(at: path) }
      #expect(report.isSound)
      #expect(report.records > 215_000)
      let limit = Duration.seconds(Double(report.bytes) / 100e6)
      #expect(elapsed <= limit, "\(report.bytes) bytes took \(elapsed)")
      print("verify:", report.bytes, "bytes,", report.records, "records,", elapsed)

      let read = try clock.measure {
        try PageFile(path: path).reading { (snapshot) throws(ImageError) in
          #expect(try snapshot.value(.records, 60_000) != nil)
        }
      }
      #expect(read < .milliseconds(20), "one read took \(read)")
    }
  }
#endif
