import Foundation

/// Test data from public suites that lies beside the package, where it lies there at all.
enum Corpora {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/corpora")

    static func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }

    /// True when an archive can be read here. On the build server a missing tool is a failure, not a reason to skip.
    static func canUnpack(_ name: String) -> Bool {
        let tools = ["/usr/bin/tar", "/usr/bin/xz"].allSatisfy(FileManager.default.isExecutableFile)
        return has(name) && (tools || ProcessInfo.processInfo.environment["CI"] == "true")
    }

    static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// The files of an archive by their names.
    static func unpack(_ name: String) async throws -> [String: Data] {
        try await withTemporaryFolder { target in
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/tar")
            process.arguments = ["-xJf", folder.appending(path: name).path, "-C", target.path]
            try process.run()
            process.waitUntilExit()
            var files: [String: Data] = [:]
            let paths = FileManager.default.enumerator(at: target, includingPropertiesForKeys: nil)
            while let url = paths?.nextObject() as? URL {
                if let data = try? Data(contentsOf: url) { files[url.lastPathComponent] = data }
            }
            return files
        }
    }
}

/// A folder that is removed again.
private func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
