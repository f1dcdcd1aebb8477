/// What the command line asks for.
struct Arguments {
  /// The questions to ask; all when empty.
  var filter: [String] = []
  /// Fewer samples and smaller images: under a minute, for a look and not for the record.
  var isQuick = false
  var printsJSON = false
  var showsHelp = false
  /// Where figures of the answers go.
  var figures: FigureFolder?
  /// A path to run in place of the questions, and how often.
  var hotPath: HotPath?
  var times = 1
  /// What the process whose memory is measured was started with.
  var resident: Resident?

  static let usage = """
    usage: ImageBenchmarks [--filter B1]... [--quick] [--json] [--plot FOLDER]
      --filter B1   ask this question alone; repeatable
      --quick       fewer samples and smaller images
      --json        print one JSON document in place of the tables
      --plot FOLDER write figures of what B1, B3 and B4 came to
      --run PATH    run one hot path and print nothing, for counting instructions:
                    commit, unchanged, rows, field, number, text, open
      --times N     how often
    """

  init(_ words: some Sequence<String>) throws(UsageProblem) {
    var rest = words.makeIterator()
    while let word = rest.next() {
      switch word {
      case "--filter":
        guard let name = rest.next() else { throw UsageProblem("--filter wants a question") }
        guard Suite.questions.contains(where: { $0.name == name }) else {
          throw UsageProblem("there is no question \(name)")
        }
        filter.append(name)
      case "--quick": isQuick = true
      case "--json": printsJSON = true
      case "--plot":
        guard let path = rest.next() else { throw UsageProblem("--plot wants a folder") }
        figures = FigureFolder(path: path)
      case "--run":
        guard let path = rest.next().flatMap({ HotPath(rawValue: $0) }) else {
          throw UsageProblem("--run wants a path")
        }
        hotPath = path
      case "--times":
        guard let count = rest.next().flatMap({ Int($0) }), count >= 0 else {
          throw UsageProblem("--times wants a number")
        }
        times = count
      case "--resident":
        resident = Resident(
          path: rest.next() ?? "", batches: rest.next().flatMap { Int($0) } ?? 1,
          isScattered: rest.next() == "anywhere")
      case "--help": showsHelp = true
      default: throw UsageProblem("unknown option \(word)")
      }
    }
  }
}

/// Why a command line is none.
struct UsageProblem: Error {
  var message: String

  init(_ message: String) {
    self.message = message
  }
}
