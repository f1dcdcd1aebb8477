extension Image {
  /// Writes to the image without a document, in one transaction: for an application with a
  /// normalizer of its own, for its own data, for migrations.
  ///
  /// It is a commit as a response is one: all of it or nothing, merged by the same rules, with its
  /// number, its entry in the journal and its observers told; equal values write nothing.
  ///
  ///     try image.write { editor in
  ///       let issue = try editor.record("I_7", type: "Issue")
  ///       try editor.set("title", to: "New", on: issue)
  ///     }
  ///
  /// - Parameters:
  ///   - name: what the journal calls the write.
  ///   - body: makes the changes. What it throws ends the write without a trace, and is thrown on.
  /// - Returns: What changed.
  /// - Throws: What `body` throws; an `ImageError` otherwise.
  @available(*, noasync, message: "a commit holds the writer's lock of its thread")
  @discardableResult
  public func write(
    named name: String = "", _ body: (inout ImageEditor) throws -> Void
  ) throws -> CommitOutcome {
    var failure: (any Error)?
    do {
      return try transactLending { (session) throws(ImageError) in
        guard let taken = session.take() else { return nil }
        var editor = ImageEditor(taken)
        do {
          try body(&editor)
        } catch {
          failure = error
          throw error as? ImageError ?? .usage("the write was given up")
        }
        session = try editor.finish()
        return name
      }
    } catch {
      throw failure ?? error
    }
  }
}
