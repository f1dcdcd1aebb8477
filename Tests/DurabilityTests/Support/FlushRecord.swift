import Foundation

/// What `FlushRecorder` wrote down of a process, in order.
struct FlushRecord {
  enum Event {
    case write(file: UInt32, offset: Int, bytes: ArraySlice<UInt8>)
    case flushBegins(UInt32)
    case flushed(UInt32)
    case size(file: UInt32, Int)
    case removed(String)
    case renamed(from: String, to: String)
    case linked(from: String, to: String)
    case opened(UInt32, path: String, size: Int)
    case line(String)
    case hole(file: UInt32, offset: Int, count: Int)
  }

  var events: [Event] = []

  init(_ bytes: [UInt8]) {
    var place = 0
    func u32(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
    while place + 20 <= bytes.count {
      let (kind, file, count) = (u32(place), u32(place + 4), Int(u32(place + 16)))
      let offset = Int(u32(place + 8)) | Int(u32(place + 12)) << 32
      guard place + 20 + count <= bytes.count else { break }
      let payload = bytes[place + 20..<place + 20 + count]
      place += 20 + count
      if kind == 10 {
        let count = Int(u32(payload.startIndex)) | Int(u32(payload.startIndex + 4)) << 32
        events.append(.hole(file: file, offset: offset, count: count))
        continue
      }
      let names = payload.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      switch kind {
      case 1: events.append(.write(file: file, offset: offset, bytes: payload))
      case 2: events.append(.flushBegins(file))
      case 3: events.append(.flushed(file))
      case 4: events.append(.size(file: file, offset))
      case 5: events.append(.removed(names[0]))
      case 6: events.append(.renamed(from: names[0], to: names[1]))
      case 7: events.append(.linked(from: names[0], to: names[1]))
      case 8: events.append(.opened(file, path: names[0], size: offset))
      default: events.append(.line(String(decoding: payload, as: UTF8.self)))
      }
    }
  }
}
