import Foundation
import HTTPMessages

/// A temporary file that holds the bytes of a stream, and goes when nobody needs it any more.
///
/// URLSession reads a body on the queue that all sessions share, so a read must never wait. A stream may, so its bytes
/// are collected first.
final class BodySpool: Sendable {
    let body: HTTPBody
    private let url: URL

    /// Collects a body's bytes.
    /// - Parameter directory: where the file is made.
    /// - Throws: what reading and writing throw, and `HTTPMessageError` (`bodyLengthMismatch`); no file is left then.
    init(_ source: HTTPBody, in directory: URL = FileManager.default.temporaryDirectory) async throws {
        let url = directory.appending(path: "patchbay-\(UUID().uuidString).body")
        do {
            try Data().write(to: url, options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            let handle = try FileHandle(forWritingTo: url)
            var count: Int64 = 0
            for try await chunk in source.chunks() {
                try Task.checkCancellation()
                try handle.write(contentsOf: chunk)
                count += Int64(chunk.count)
            }
            try handle.close()
            guard source.length == nil || source.length == count else {
                throw HTTPMessageError(.bodyLengthMismatch, "The stream has not the length that it stated.")
            }
            body = try .file(at: url)
        } catch {
            try? FileManager.default.removeItem(at: url)
            throw error
        }
        self.url = url
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
