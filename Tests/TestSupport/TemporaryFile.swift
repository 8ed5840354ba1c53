public import Foundation

/// A file that goes away with whoever holds it.
public final class TemporaryFile: Sendable {
    /// Where it is.
    public let url: URL

    /// Writes one.
    public init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-tests-\(UUID().uuidString)")
        try data.write(to: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
