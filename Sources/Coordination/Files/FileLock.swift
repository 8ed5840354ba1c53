package import Foundation
import SystemLibraries

/// A lock for work that waits, such as for a network: held by one user at a time, of all processes.
///
/// It is the lock of an empty file (flock(2)), and ends with its process. The file stays: if it were deleted, two users
/// could hold the locks of two files with that name.
package struct FileLock: Sendable {
    private let path: String

    /// Describes the lock of a file, which need not exist; its folder must.
    package init(_ url: URL) { path = url.path }

    /// Runs work with the lock held. The wait for it blocks a thread of its own, and none of a pool.
    /// - Throws: the errors of `work`. Where the file cannot be created or locked, the work runs without a lock.
    package func withLock<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
        guard let file = try? SystemFile(path, for: .creating) else { return try await work() }
        if (try? file.lock()) == false {
            await withCheckedContinuation { continuation in
                Thread {
                    file.waitForLock()
                    continuation.resume()
                }.start()
            }
        }
        defer { file.unlock() }
        return try await work()
    }
}
