public import Foundation

/// A temporary folder, removed on deinit, also when a test fails.
public final class TemporaryFolder: Sendable {
    /// The location of the folder.
    public let url: URL

    /// Creates an empty folder.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { remove() }

    /// The path of an entry.
    public func path(_ name: String) -> String { url.appending(path: name).path }

    /// The names of the entries, sorted.
    public var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    /// Removes the folder and its contents.
    public func remove() { try? FileManager.default.removeItem(at: url) }
}
