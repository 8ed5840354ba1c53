public import Foundation

/// A folder for the files of an example, which is removed at its end.
public enum ScratchFolder {
    /// Creates a folder, runs `body` and removes the folder, also when `body` throws.
    public static func with<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "patchbay-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
