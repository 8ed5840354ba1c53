import Foundation

extension Report {
    /// The report for programs, as a JSON object with `files`, `lines`, `vendors`, `places` and `problems`.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(
            files: fileCount, lines: lineCount,
            vendors: Dictionary(
                uniqueKeysWithValues: sections.map { section in
                    (
                        section.vendor,
                        Dictionary(uniqueKeysWithValues: Verdict.Kind.allCases.map { ($0.rawValue, section.count($0)) })
                    )
                }),
            places: findings.map {
                Document.Location(
                    vendor: $0.vendor, name: $0.name, verdict: $0.verdict.kind, advice: $0.verdict.text,
                    link: $0.verdict.link,
                    file: $0.file, line: $0.line)
            },
            problems: problems.map { Document.Problem(file: $0.file, line: $0.problem.line, text: $0.problem.text) })
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    private struct Document: Encodable {
        struct Location: Encodable {
            var vendor: String
            var name: String
            var verdict: Verdict.Kind
            var advice: String?
            var link: String?
            var file: String
            var line: Int
        }
        struct Problem: Encodable {
            var file: String
            var line: Int
            var text: String
        }
        var files: Int
        var lines: Int
        var vendors: [String: [String: Int]]
        var places: [Location]
        var problems: [Problem]
    }
}

extension Verdict {
    fileprivate var text: String? {
        switch self {
        case .works: nil
        case .otherwise(_, let text), .missing(_, let text), .ambiguous(let text): text
        }
    }
}
