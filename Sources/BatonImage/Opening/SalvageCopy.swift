internal import LMDB

/// A fresh image made of every sound value of a damaged one.
struct SalvageCopy {
  let files: ImageFiles
  let options: Image.Options

  init(_ files: ImageFiles, _ options: Image.Options) {
    self.files = files
    self.options = options
  }

  /// Makes the copy, checks it, and puts it in the place of the damaged file, which nobody else has
  /// open and which is set aside.
  ///
  /// Throws, and leaves everything as it was, when not even that makes an image.
  func run(
    on file: borrowing ClosedFile, settingAside aside: String
  ) throws(ImageError) -> SalvageReport {
    let draft = ImageFiles(path: files.aside("salvage"))
    defer { for path in draft.all { Platform.unlink(path) } }
    let report = try copy(PageFile(borrowing: file.descriptor), to: draft)
    let verification = try Verifier.verify(at: draft.image)
    if let fault = verification.faults.first { throw .damaged(fault) }
    try engine { () throws(LMDBError) in try file.rename(from: files.image, to: aside) }
    try rename(draft.image, files.image)
    // In between, the old checkpoint is known for another image's.
    try rename(draft.checkpoint, files.checkpoint)
    try engine { () throws(LMDBError) in
      let folder = try Descriptor(path: files.folder, flags: Descriptor.folder)
      try folder.flush()
    }
    return report
  }

  private func rename(_ from: String, _ to: String) throws(ImageError) {
    let status = Platform.rename(from: from, to: to)
    if status != 0 { throw ImageError(LMDBError(status: status, in: .createFile)) }
  }

  /// Fills a new image beside the old one.
  private func copy(
    _ pages: PageFile, to draft: ImageFiles
  ) throws(ImageError) -> SalvageReport {
    var result: SalvageReport?
    var failure: ImageError?
    do throws(LMDBError) {
      let environment = try Environment.open(
        path: draft.image,
        making: { (environment) throws(LMDBError) in
          do throws(ImageError) {
            var writing = try SalvageWriting(environment, pages, options)
            try writing.run()
            result = writing.report
            try engine { () throws(LMDBError) in
              try ImageMaking.checkpoint(environment, writing.header, draft, options)
            }
          } catch {
            failure = error
            throw LMDBError(.refused, in: .createFile)
          }
        })
      try environment.close()
    } catch {
      throw failure ?? ImageError(error)
    }
    guard let result else { throw .engine("a file of the draft's name was there already") }
    return result
  }
}
