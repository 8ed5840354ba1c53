public import Foundation

/// A folder of its own, which goes away with whoever holds it, and so also when a test fails.
public final class TemporaryFolder: Sendable {
    /// Where it is.
    public let url: URL

    /// Makes an empty one.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { remove() }

    /// The path of something in it.
    public func path(_ name: String) -> String { url.appending(path: name).path }

    /// The names of what is in it, sorted.
    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    /// Removes it, with what is in it, at a moment that the test chooses.
    public func remove() { try? FileManager.default.removeItem(at: url) }
}
