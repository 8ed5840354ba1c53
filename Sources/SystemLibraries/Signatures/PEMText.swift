package import Foundation

/// The first block of a PEM text (RFC 7468) with one of some labels.
package struct PEMText {
    package let data: Data

    package init?(_ text: String, labels: [String]) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard
            let begin = lines.firstIndex(where: { line in labels.contains { line == "-----BEGIN \($0)-----" } }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") }),
            let data = Data(base64Encoded: lines[(begin + 1)..<end].joined())
        else { return nil }
        self.data = data
    }
}
