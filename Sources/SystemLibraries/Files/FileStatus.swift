package import Foundation

/// Metadata of a file (stat(2)).
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case regular, folder, symbolicLink, other }

    /// Distinguishes a file from all others, under any of its names.
    package struct Identity: Hashable, Sendable {
        fileprivate let device: UInt64
        /// Its number in its volume. That of the device may change when the system starts.
        package let node: UInt64
    }

    package let kind: Kind
    /// The permissions, such as 0o644.
    package let mode: UInt16
    /// The size in bytes.
    package let size: Int64
    /// The number of hard links.
    package let linkCount: Int
    package let identity: Identity

    /// Reads the metadata of an open file; nil after an error.
    package init?(of descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the metadata of a file, or of a symbolic link itself.
    /// - Throws: `POSIXError`.
    package init(at path: String, followingLinks: Bool = true) throws(POSIXError) {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { throw .last }
        self.init(status)
    }

    // The types of the members depend on the platform.
    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .symbolicLink
            default: .other
            }
        mode = UInt16(status.st_mode & 0o777)
        size = Int64(status.st_size)
        linkCount = Int(status.st_nlink)
        identity = Identity(device: UInt64(truncatingIfNeeded: status.st_dev), node: UInt64(status.st_ino))
    }
}
