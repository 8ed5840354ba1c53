import Foundation

/// A temporary folder; remove it at the end.
struct BenchmarkFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "patchbay-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }
}
