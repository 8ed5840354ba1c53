import Foundation
import TestSupport
import Testing

/// A file system that is soon full, where this process may mount one.
final class SmallDisk {
    let url: URL
    private let folder: TemporaryFolder

    /// True on Linux for root, outside of a container that forbids it.
    static let isAvailable = (try? SmallDisk(megabytes: 1)) != nil

    init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        url = folder.url
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", url.path)
    }

    deinit { try? Self.run("umount", "-l", url.path) }

    private static func run(_ words: String...) throws {
        guard try ChildProcess("/usr/bin/env", words).waitUntilExit() == .exited(0) else {
            throw CocoaError(.featureUnsupported)
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Needs a small file system; a test with this trait says so where there is none.
    static var needsSmallDisk: Self {
        .enabled(if: SmallDisk.isAvailable, "Mounting a small file system needs root on Linux.")
    }
}
