import Foundation
import HTTPMessages

extension Harness {
    /// Measures the excerpt of an error body that a server has chosen to be slow to search.
    func excerpts() async throws -> [Figure] {
        func take(_ part: String) -> () -> Void {
            let body = Data(String(repeating: part, count: 4096 / part.utf8.count).utf8)
            let operations = count(2000)
            return { for _ in 0..<operations { _ = BodyExcerpt.text(of: body, as: .plainText) } }
        }
        return [
            try await compare(
                "Excerpt of an error body, one word of 4 KiB", operations: count(2000), against: "4 KiB of short words",
                subject: take("a"), baseline: take("error "))
        ]
    }
}
