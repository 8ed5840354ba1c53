import Foundation

/// Reads error types and codes from the sources and from Documentation/Errors.md.
enum ErrorSources {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    struct Code: Hashable {
        let type: String
        let member: String
        let name: String
        let number: String
    }

    private static func files() throws -> [String] {
        let folder = root.appending(path: "Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try paths.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
    }

    /// The public types declared as errors.
    static func publicErrorTypes() throws -> Set<String> {
        let declaration =
            #/(?m)^ *public (?:final )?(?:struct|enum|class|actor) (\w+)[^{\n]*: [^{]*\b(?:\w*Error|CustomNSError)\b[^{]*{/#
        let conformance =
            #/(?m)^ *extension (\w+): [^{]*\b(?:Error|LocalizedError|CustomNSError|PatchbayError)\b[^{]*{/#
        return try Set(
            files().flatMap { text in
                text.matches(of: declaration).map { String($0.1) } + text.matches(of: conformance).map { String($0.1) }
            })
    }

    /// The codes declared in the sources.
    static func codes() throws -> [Code] {
        try files().flatMap { text -> [Code] in
            guard let kit = text.firstMatch(of: #/(?ms)^extension ErrorCode where Failure == (\w+) \{\n(.*?)\n\}\n/#)
            else {
                return []
            }
            return kit.2.matches(of: #/static var (\w+): Self \{ Self\((-?\d+)\) \}/#).map {
                Code(type: String(kit.1), member: String($0.1), name: String($0.1), number: String($0.2))
            }
        }
    }

    /// The codes listed in Documentation/Errors.md.
    static func documentedCodes() throws -> [Code] {
        let text = try String(contentsOf: root.appending(path: "Documentation/Errors.md"), encoding: .utf8)
        return text.components(separatedBy: "\n## ").dropFirst().flatMap { section in
            let type = String(section.prefix { $0 != "\n" })
            return section.matches(of: #/(?m)^\| (-?\d+) \| `(\w+)` \|/#).map {
                Code(type: type, member: String($0.2), name: String($0.2), number: String($0.1))
            }
        }
    }
}
