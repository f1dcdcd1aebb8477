internal import LMDB

/// A fresh image made of every sound value of a damaged one.
struct SalvageCopy {
  let files: ImageFiles
  let options: Image.Options

  init(_ files: ImageFiles, _ options: Image.Options) {
    self.files = files
    self.options = options
  }

  func run(
    on file: borrowing ClosedFile, settingAside aside: String
  ) throws(ImageError) -> SalvageReport {
    throw .engine("not yet")
  }
}
