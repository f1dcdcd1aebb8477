internal import CLMDB

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Whether a file system is another machine's, or one whose locks and maps are somebody else's.
package enum FileSystemKind {
  /// The kind of an open file's file system as the system numbers it; nil where it doesn't tell.
  package static func number(of descriptor: Int32) -> Int? {
    var information = statfs()
    // SAFETY: the structure is filled before the call returns.
    guard unsafe fstatfs(descriptor, &information) == 0 else { return nil }
    #if canImport(Darwin)
      return information.f_flags & UInt32(MNT_LOCAL) == 0 ? 0x6969 : 0
    #else
      return Int(information.f_type) & 0xFFFF_FFFF
    #endif
  }

  /// The kind of the file system that a folder is on.
  package static func number(ofFolder path: String) -> Int? {
    guard let folder = try? Descriptor(path: path, flags: Descriptor.folder) else { return nil }
    return number(of: folder.number)
  }

  /// Whether a kind is one of those that are refused: on Linux 9p, AFS, Ceph, CIFS, Coda, FUSE's
  /// remote block device, GFS2, Lustre, NCP, NFS, OCFS2, SMB, SMB2 and VirtualBox's folders.
  package static func isRemote(_ number: Int) -> Bool {
    // No `Set`: the first one of a process has the runtime look through every library's
    // conformances, which maps their pages.
    switch number {
    case 0x0102_1997, 0x5346_414F, 0x00C3_6400, 0xFF53_4D42, 0x7375_7245, 0x0116_1970, 0x0BD0_0BD0,
      0x564C, 0x6969, 0x7461_636F, 0x517B, 0xFE53_4D42, 0x786F_4256:
      true
    default: false
    }
  }
}
