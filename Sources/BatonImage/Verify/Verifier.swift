/// Checks the whole of an image's file: the engine's pages, every value, and every reference from
/// one table to another.
///
/// Reads the file itself, page by page, and never through the engine, so no file can do harm. Time
/// is linear in the file's length; memory is a bit a page, a byte or two a record, and the value at
/// hand.
public enum Verifier {
  /// Checks the file at `path`.
  ///
  /// A file that is damaged gives a report with faults, not an error. Throws `notFound`; `foreign`
  /// when the file is no image, `incompatible` when it is one of another version; `busy` when a
  /// writer was faster than the check; `engine` when the system refuses.
  public static func verify(at path: String) throws(ImageError) -> VerificationReport {
    do throws(ImageError) {
      return try verify(PageFile(path: path))
    } catch .damaged(let damage) {
      return report(of: damage)
    }
  }

  /// Checks the file behind a descriptor that stays the caller's, as `verify(at:)`.
  ///
  /// A caller that holds a snapshot of the engine meanwhile is never overtaken by a writer.
  package static func verify(
    borrowing descriptor: CInt
  ) throws(ImageError) -> VerificationReport {
    do throws(ImageError) {
      return try verify(PageFile(borrowing: descriptor))
    } catch .damaged(let damage) {
      return report(of: damage)
    }
  }

  private static func report(of damage: Damage) -> VerificationReport {
    var report = VerificationReport()
    report.faults = [damage]
    report.faultCount = 1
    return report
  }

  /// Checks an open file, from its newest state.
  ///
  /// Beside a writer that overtakes the check, what looks damaged is checked again. Throws as
  /// `verify(at:)`, and `damaged` when no meta page is sound.
  package static func verify(
    _ file: PageFile, attempts: Int = 4
  ) throws(ImageError) -> VerificationReport {
    for attempt in 0..<max(1, attempts) {
      if attempt > 0 { try file.refresh() }
      let transaction = file.newest.transaction
      let failure: ImageError
      do throws(ImageError) {
        let report = try Inspection(file).run()
        if report.isSound { return report }
        if try file.isStanding(transaction) { return report }
        continue
      } catch {
        failure = error
      }
      if try file.isStanding(transaction) { throw failure }
    }
    throw .busy("the image was written to faster than it could be checked")
  }
}

extension Inspection {
  /// Does every check, in the order their results are needed in.
  ///
  /// Throws `foreign` and `incompatible`.
  func run() throws(ImageError) -> VerificationReport {
    try checkOrigin()
    for damage in file.metaFaults {
      log.fault(damage.structure, at: damage.offset, damage.message)
    }
    checkLength()
    checkMainTable()
    checkMeta()
    checkNames()
    checkTypes()
    checkRecords()
    checkCells()
    checkIds()
    checkAliases()
    checkNaturalKeys()
    checkOperations()
    checkFetches()
    checkStamps()
    checkJournal()
    checkFreePages()
    checkReferences()
    noteUnusedPages()
    report.bytes = file.length
    report.pages = meta.lastPage + 1
    report.faults = log.faults
    report.faultCount = log.count
    report.notes = log.notes
    return report
  }

  private func checkLength() {
    guard !file.isWhole else { return }
    let pages = file.length / UInt64(file.pageSize)
    if meta.lastPage - min(meta.lastPage, pages) > PageUse.slack {
      log.fault(
        "meta page \(meta.page)",
        at: meta.page * UInt64(file.pageSize) + UInt64(MetaLayout.lastPage),
        "counts \(meta.lastPage + 1) pages in a file of \(pages)")
    } else {
      log.note("file", "shorter than its \(meta.lastPage + 1) pages: the last were never written")
    }
  }

  /// Throws unless the file is an image of this version, as far as its header can be read.
  private func checkOrigin() throws(ImageError) {
    guard let header = try sealedHeader() else { return }
    try Self.checkHeader(header.span)
  }

  /// The header; nil where the pages that lead to it or its checksum are damaged.
  ///
  /// Throws `foreign` when the file is sound so far and has no table for it.
  private func sealedHeader() throws(ImageError) -> StoredValue? {
    do throws(ImageError) {
      guard let tree = try file.tree(of: .meta, in: meta) else {
        // The state before the first commit has no table yet: only a file that is whole is foreign.
        guard file.hasBothMetas else { return nil }
        throw .foreign("no table meta: another program's file of the same engine")
      }
      guard let step = try file.find(MetaKey.header, in: tree, of: meta) else { return nil }
      return try file.sealedValue(at: step, table: .meta, key: MetaKey.header, of: meta)
    } catch .damaged {
      return nil
    }
  }

  /// Throws unless a header whose checksum holds is one of this version.
  private static func checkHeader(_ header: Span<UInt8>) throws(ImageError) {
    let magic = HeaderLayout.magicBytes
    guard header.count >= HeaderLayout.pageSize,
      header.extracting(HeaderLayout.magic..<HeaderLayout.formatVersion)
        .isEqual(to: magic.span)
    else { throw .foreign("the header is not an image's") }
    let format = header.u16(at: HeaderLayout.formatVersion)
    let rules = header.u16(at: HeaderLayout.keyRulesVersion)
    guard format == HeaderLayout.currentFormat, rules == HeaderLayout.currentKeyRules else {
      throw .incompatible("format version \(format), key rules version \(rules)")
    }
  }

  private func noteUnusedPages() {
    guard log.count == 0 else { return }
    let (count, first) = pages.untaken()
    guard let first else { return }
    log.note("page \(first)", "the first of \(count) pages neither used nor free")
  }
}
