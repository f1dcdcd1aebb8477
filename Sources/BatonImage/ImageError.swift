/// Everything that can go wrong with an image, by layer.
public enum ImageError: Error, Sendable, Equatable {
  /// A response is not what the plan reads. Nothing was committed.
  case response(ResponseProblem)
  /// The caller's arguments don't fit: an undeclared variable, a natural key that can't be parsed.
  case usage(String)
  /// The file is not an image; it was left as it is.
  case foreign(String)
  /// An image of another format version, key rules, identity or account; it was left as it is.
  case incompatible(String)
  /// The image is damaged at a place.
  case damaged(Damage)
  /// The engine or the system failed; the last commit stands.
  case engine(String)
  /// There is no image at the path.
  case notFound(String)
  /// Another process or handle holds what is needed.
  case busy(String)
  /// The journal begins after the commit asked for: its oldest is `oldest`, 0 when it holds none.
  case tooOld(oldest: UInt64)
  /// The image was closed.
  case closed
  /// A limit of the format or of the options would be passed.
  case limit(String)
  /// The disk is full; the last commit stands and writing goes on when space returns.
  case diskFull
  /// The file was removed or replaced while the image was open; what is written would be lost.
  case removed
  /// The system refuses access, now or for good; nothing is wrong with the image.
  case unavailable(String)
  /// The process forked after opening: the image belongs to the parent.
  case forked
}

/// What is wrong with a response, and where.
public struct ResponseProblem: Sendable, Equatable {
  public var message: String
  /// The byte of the response the problem lies at, from 0; nil when it has a path only.
  public var offset: Int?
  /// The response path, joined with dots; empty for the whole response.
  public var path: String
  /// Which part of a response that comes in parts the offset lies in, from 0.
  public var part = 0

  public init(_ message: String, offset: Int? = nil, path: String = "") {
    self.message = message
    self.offset = offset
    self.path = path
  }
}

/// Where an image is damaged.
public struct Damage: Sendable, Equatable, Hashable {
  /// The structure, such as `page 7`, `table records`, `row 12`.
  public var structure: String
  /// The byte of the file, from 0; nil when it isn't known.
  public var offset: UInt64?
  public var message: String

  public init(_ structure: String, offset: UInt64? = nil, _ message: String) {
    self.structure = structure
    self.offset = offset
    self.message = message
  }
}

extension ResponseProblem: CustomStringConvertible {
  public var description: String {
    var place = ""
    if let offset { place = "byte \(offset): " }
    if !path.isEmpty { place += "\(path): " }
    return place + message
  }
}

extension Damage: CustomStringConvertible {
  public var description: String {
    structure + (offset.map { " at byte \($0)" } ?? "") + ": " + message
  }
}

extension ImageError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .response(let problem): "the response: \(problem)"
    case .usage(let message): message
    case .foreign(let message): "not an image: \(message)"
    case .incompatible(let message): "another format: \(message)"
    case .damaged(let damage): "damaged: \(damage)"
    case .engine(let message): "the engine: \(message)"
    case .notFound(let message): "no image: \(message)"
    case .busy(let message): "busy: \(message)"
    case .tooOld(let oldest): "the journal no longer reaches back; its oldest commit is \(oldest)"
    case .closed: "the image is closed"
    case .limit(let message): "limit: \(message)"
    case .diskFull: "the disk is full"
    case .removed: "the image's file was removed or replaced while it was open"
    case .unavailable(let message): "no access: \(message)"
    case .forked: "the image was opened before a fork and belongs to the parent process"
    }
  }
}
