internal import LMDB

/// Opening an image: the look at the file, the engine over it, and what an image needs beside it.
struct ImageOpening {
  let files: ImageFiles
  let options: Image.Options

  /// An image that was opened.
  struct Opened {
    var environment: Environment
    var tables: ImageTables
    var header: Header
    var report: OpeningReport
    var mark: OpeningMark?
    /// Nil for an image that is only read.
    var checkpointer: Checkpointer?
  }

  /// How often a file is looked at again after what stood at its place was set aside.
  private static let rounds = 4

  init(path: String, options: Image.Options) {
    files = ImageFiles(path: path)
    self.options = options
  }

  func open() throws(ImageError) -> Opened {
    var creates = options.creates
    var report: OpeningReport?
    for _ in 1...Self.rounds {
      let examination = Examination(files, options)
      guard let environment = try environment(examination, creates: creates) else {
        // A file that was set aside makes room for a new one, whether a missing one is made or not.
        if examination.report.setAside != nil { report = examination.report }
        creates = true
        continue
      }
      do throws(ImageError) {
        return try finish(environment, examination, report)
      } catch {
        try? environment.close()
        throw error
      }
    }
    throw .busy("another process keeps making and setting aside \(files.image)")
  }

  /// The engine's environment; nil when what was at the path is out of the way now.
  private func environment(
    _ examination: Examination, creates: Bool
  ) throws(ImageError) -> Environment? {
    var failure: ImageError?
    var looksAgain = false
    do throws(LMDBError) {
      return try Environment.open(path: files.image, options: engineOptions(creates: creates)) {
        (file) throws(LMDBError) in
        (failure, looksAgain) = (nil, false)
        do throws(ImageError) {
          switch try examination.examine(file) {
          case .open: return true
          case .refuse(let error): failure = error
          case .lookAgain: looksAgain = true
          case .wait: throw .busy("another process has \(files.image) open, which needs repair")
          }
        } catch {
          failure = error
          if case .busy = error { throw LMDBError(.busy, in: .open) }
        }
        return false
      } making: { (environment) throws(LMDBError) in
        do throws(ImageError) {
          try examination.checkVolume(
            options.internals.fileSystem ?? FileSystemKind.number(ofFolder: files.folder))
          try ImageMaking.fill(environment, files, options)
          examination.report.outcome = .made
        } catch {
          failure = error
          throw LMDBError(.refused, in: .createFile)
        }
      }
    } catch {
      if looksAgain, error.code == .refused { return nil }
      if let failure, [.refused, .busy, .transactionsRunning].contains(error.code) {
        throw failure
      }
      throw ImageError(error)
    }
  }

  private func engineOptions(creates: Bool) -> Environment.Options {
    var engine = Environment.Options()
    engine.isReadOnly = options.isReadOnly
    engine.createsFile = creates
    // Flushing is the checkpointer's.
    engine.synchronization = .none
    if let size = options.internals.mapSize { engine.mapSize = size }
    if let size = options.internals.maximumMapSize { engine.maximumMapSize = size }
    return engine
  }

  /// The header, from the image; the next opener has it from its copy.
  private func readHeader(
    of environment: Environment, _ tables: ImageTables, _ examination: Examination
  ) throws(ImageError) -> Header {
    let header = try ImageMaking.header(of: environment, tables)
    if !options.isReadOnly, let checkpoints = examination.checkpoints {
      HeaderCopy.write(header, to: checkpoints)
    }
    return header
  }

  private func finish(
    _ environment: Environment, _ examination: Examination, _ earlier: OpeningReport?
  ) throws(ImageError) -> Opened {
    let tables = try ImageMaking.tables(of: environment)
    let header =
      if let copy = examination.header { copy } else {
        try readHeader(of: environment, tables, examination)
      }
    if let problem = ImageMaking.mismatch(header, options) { throw problem }
    if let checkpoints = examination.checkpoints { examination.mark?.noteOpened(in: checkpoints) }
    let checkpointer =
      options.isReadOnly
      ? nil
      : Checkpointer(
        environment,
        Checkpointer.Setup(
          imageId: header.imageId, pageSize: Int(header.pageSize), boot: examination.boot,
          interval: options.checkpointInterval, writerWait: options.writerWait,
          tables: tables, isDurable: options.durability == .durable || examination.boot == nil,
          logSegment: options.internals.logSegment))
    return Opened(
      environment: environment, tables: tables, header: header,
      report: earlier ?? examination.report, mark: examination.mark,
      checkpointer: checkpointer)
  }
}
