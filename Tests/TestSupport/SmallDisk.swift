import Foundation
public import Testing

/// A small in-memory file system (tmpfs), unmounted on deinit.
public final class SmallDisk: Sendable {
    /// The mount point.
    public let folder: TemporaryFolder

    /// True when this process may mount one: on Linux as root, unless a container forbids it.
    ///
    /// Tries it several times, because a busy system may refuse a new process.
    static let isAvailable = (1...3).contains { _ in (try? SmallDisk(megabytes: 1)) != nil }

    /// Mounts an empty file system.
    public init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.url.path)
    }

    deinit { try? Self.run("umount", "-l", folder.url.path) }

    /// Makes it a read-only file system. No file may be open for writing.
    public func makeReadOnly() throws { try Self.run("mount", "-o", "remount,ro", folder.url.path) }

    private static func run(_ words: String...) throws {
        guard try ChildProcess("/usr/bin/env", words).waitUntilExit() == .exited(0) else {
            throw CocoaError(.featureUnsupported)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test when ``SmallDisk`` is not available.
    public static var needsSmallDisk: Self {
        .enabled(if: SmallDisk.isAvailable, "Mounting a small file system needs root on Linux.")
    }
}
