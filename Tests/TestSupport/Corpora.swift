public import Foundation

/// Optional test data from public suites, in a folder beside the package.
public enum Corpora {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/corpora")

    /// True when a file exists.
    public static func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: name).path)
    }

    /// True when an archive exists and can be unpacked. In CI a missing tool is a failure, not a reason to skip.
    public static func canUnpack(_ name: String) -> Bool {
        let tools = ["/usr/bin/tar", "/usr/bin/xz"].allSatisfy(FileManager.default.isExecutableFile)
        return has(name) && (tools || ProcessInfo.processInfo.environment["CI"] == "true")
    }

    /// The contents of a file.
    public static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// The files of an archive by name.
    public static func unpack(_ name: String) async throws -> [String: Data] {
        let files = try await unpackByPath(name).map { (URL(filePath: $0.key).lastPathComponent, $0.value) }
        return Dictionary(files) { first, _ in first }
    }

    /// The files of an archive by their whole paths, for archives with several files of one name.
    public static func unpackByPath(_ name: String) async throws -> [String: Data] {
        let target = try TemporaryFolder()
        _ = try await ChildProcess.run(
            "/usr/bin/tar", ["-xJf", folder.appending(path: name).path, "-C", target.url.path])
        var files: [String: Data] = [:]
        let paths = FileManager.default.enumerator(at: target.url, includingPropertiesForKeys: nil)
        while let url = paths?.nextObject() as? URL {
            if let data = try? Data(contentsOf: url) { files[url.path] = data }
        }
        return files
    }
}
