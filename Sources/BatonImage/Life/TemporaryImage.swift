import Foundation

extension Image {
  /// An image in a folder of its own, for tests and previews, which is removed when the image is
  /// closed or released.
  public static func temporary(options: Options = Options()) throws(ImageError) -> Image {
    let folder = try TemporaryFolder()
    let image = try open(path: folder.path + "/temporary.image", options: options)
    image.life.keep(folder)
    return image
  }
}

/// A folder that is removed with what is in it when nobody holds this any more.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws(ImageError) {
    let name = "baton-image-" + UUID().uuidString
    let url = FileManager.default.temporaryDirectory.appending(path: name)
    path = url.path(percentEncoded: false)
    do {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .engine("a temporary folder can't be made: \(error.localizedDescription)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
