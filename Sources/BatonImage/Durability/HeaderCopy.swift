internal import LMDB

/// A copy of the image's header in the checkpoint file, which is read there at each opening: in the
/// image it lies on a page of its own, far from the others that an opening touches.
///
/// A header is written once. The copy is sealed as the image's is, and belongs to the image that the
/// newest record is of.
enum HeaderCopy {
  private static let room = CheckpointLayout.fileSizeWhole - CheckpointLayout.header

  /// The header; nil where there is none of the record's image.
  static func header(in file: [UInt8], of record: CheckpointRecord) -> Header? {
    guard file.count == CheckpointLayout.fileSizeWhole else { return nil }
    let size = Int(file.span.u32(at: CheckpointLayout.headerSize))
    guard size > 0, size <= room else { return nil }
    let value = file.span.extracting(CheckpointLayout.header..<CheckpointLayout.header + size)
    guard isSealed(value, table: .meta, key: MetaKey.header), let header = try? Header(value),
      header.imageId == record.imageId, Int(header.pageSize) == record.pageSize
    else { return nil }
    return header
  }

  /// Leaves a copy for the next opener; one that is too large, or can't be written, is none.
  static func write(_ header: Header, to file: CheckpointFile) {
    let value = header.encoded()
    guard value.count <= room else { return }
    var bytes: [UInt8] = []
    bytes.append(u32: UInt32(value.count))
    bytes.append(u32: 0)
    try? file.write(bytes + value, at: CheckpointLayout.headerSize)
  }
}
