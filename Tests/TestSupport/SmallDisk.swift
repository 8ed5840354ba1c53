import Foundation
public import Testing

/// A file system in memory that is soon full, where this process may mount one. It goes away with whoever holds it.
public final class SmallDisk: Sendable {
    /// The folder that it is mounted on.
    public let folder: TemporaryFolder

    /// True on Linux for root, outside of a container that forbids it.
    static let isAvailable = (try? SmallDisk(megabytes: 1)) != nil

    /// Mounts an empty one.
    public init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", folder.url.path)
    }

    deinit { try? Self.run("umount", "-l", folder.url.path) }

    private static func run(_ words: String...) throws {
        guard try ChildProcess("/usr/bin/env", words).waitUntilExit() == .exited(0) else {
            throw CocoaError(.featureUnsupported)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Needs a small file system; a test with this trait says so where there is none.
    public static var needsSmallDisk: Self {
        .enabled(if: SmallDisk.isAvailable, "Mounting a small file system needs root on Linux.")
    }
}
