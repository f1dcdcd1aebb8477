import BatonImage
import ImageFixtures

/// Ways to break the rules of section 10 for the table `fetches`.
enum FetchTricks {
  /// The key of the sample's fetches.
  private static func key(_ image: ImageFixture) -> UInt64 {
    image.tables[.fetches]?.keys.first ?? 0
  }

  static let all = [
    ValueTrick("fetches of a storage key", "fetches 5, 0", "no operation's name") { image in
      image.put(.fetches, 5 << 32, image.tables[.fetches]?[key(image)] ?? [])
    },
    ValueTrick("a block beyond all records", "fetches", "no image") { image in
      image.put(.fetches, key(image) | 1 << 26, image.tables[.fetches]?[key(image)] ?? [])
    },
    ValueTrick("fetches of records yet to come", "fetches", "never given") { image in
      image.put(.fetches, key(image) | 1, image.tables[.fetches]?[key(image)] ?? [])
    },
    ValueTrick("fetches of a record 0", "fetches", "never given") { image in
      image.change(.fetches, key(image)) { $0[12] |= 1 }
    },
    ValueTrick("fetches without a group", "fetches", "no groups") { image in
      image.put(.fetches, key(image), [0, 0, 0, 0])
    },
    ValueTrick("a group that is cut", "fetches", "no groups") { image in
      image.change(.fetches, key(image)) { $0.removeLast() }
    },
    ValueTrick("groups that don't ascend", "fetches", "ascend") { image in
      image.change(.fetches, key(image)) { $0[27] = 0x80 }
    },
    ValueTrick("a group without a record", "fetches", "no record") { image in
      image.change(.fetches, key(image)) { $0[28] = 0 }
    },
    ValueTrick("a record in two groups", "fetches", "twice") { image in
      image.change(.fetches, key(image)) { $0[28] = 0x30 }
    },
  ]
}
