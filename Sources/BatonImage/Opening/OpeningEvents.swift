extension Image {
  /// Tells what opening found, and from now on of each checkpoint.
  func tellOpening() {
    guard options.events != nil else { return }
    if let reason = opening.discardReason { life.tell(.discarded(reason)) }
    let commit = (try? snapshot().commit) ?? 0
    life.tell(.opened(isNew: commit == 0, commit: commit))
    checkpointer?.tell { [life] commit in life.tell(.checkpointed(commit: commit)) }
  }
}

extension OpeningReport {
  /// Why the file that was there is not the image any more; nil when it is.
  var discardReason: DiscardReason? {
    switch outcome {
    case .opened, .made, .recovered, .repaired: nil
    case .salvaged: .damaged
    case .discarded(.damaged(let damage)):
      damage.structure == Examination.crashLoop ? .crashLoop : .damaged
    case .discarded(.incompatible(let message)):
      message.hasPrefix(ImageMaking.otherIdentity) ? .otherIdentity : .otherFormat
    case .discarded: .damaged
    }
  }
}
