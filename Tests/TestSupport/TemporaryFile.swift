public import Foundation

/// A temporary file, removed on deinit.
public final class TemporaryFile: Sendable {
    /// The location of the file.
    public let url: URL

    /// Creates a file with these contents.
    public init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-tests-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
