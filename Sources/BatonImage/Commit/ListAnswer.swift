/// The records that list lookups answered, whose fetch times are the lookups'.
struct AnsweredRecords: Sendable {
  /// For each id in the order asked the record that it leads to, answered or known from before; 0
  /// where it leads to none.
  var ofIds: [UInt32] = []
  /// Records that were answered to ids that don't lead to them, as ids are no keys of their type.
  var others: [UInt32] = []
}

/// What a list lookup was answered with.
struct ListAnswer {
  var ids: [IdOutcome]
  var records: AnsweredRecords
}

extension FetchTable {
  /// Notes the records that ids lead to, and the ids that lead to none.
  func note(
    _ answer: ListAnswer, _ texts: ListFetchTexts, operation: UInt32, at time: Int64
  ) {
    let records = answer.records
    for index in answer.ids.indices {
      let record = index < records.ofIds.count ? records.ofIds[index] : 0
      if record != 0 {
        self.records.note(time, operation: operation, record: record)
      } else {
        self.texts.note(time) { texts.append(answer.ids[index].asked, to: &$0) }
      }
    }
    for record in records.others {
      self.records.note(time, operation: operation, record: record)
    }
  }
}

extension CommitSession {
  /// Notes the record that an id of a list lookup leads to which is not its key, once aliases are
  /// written; `record` is the one that was answered, 0 when none was.
  mutating func note(_ record: UInt32, answeredTo id: [UInt8]) throws(ImageError) {
    let known = id.isEmpty ? nil : try number(ofId: id)
    answered.ofIds.append(known ?? 0)
    if record != 0, record != known { answered.others.append(record) }
  }

  /// The records that list lookups answered, now that everything is written: one that was united with
  /// another is the other.
  borrowing func settledAnswered() throws(ImageError) -> AnsweredRecords {
    guard !aliased.isEmpty else { return answered }
    var settled = answered
    for index in settled.ofIds.indices where settled.ofIds[index] != 0 {
      settled.ofIds[index] = try resolved(settled.ofIds[index])
    }
    for index in settled.others.indices {
      settled.others[index] = try resolved(settled.others[index])
    }
    return settled
  }
}
