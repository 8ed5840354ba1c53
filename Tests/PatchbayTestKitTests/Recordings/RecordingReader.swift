import Foundation
import HTTPMessages
import PatchbayTestKit

/// Reads recordings as the package does.
enum RecordingReader {
    static func exchanges(_ file: URL) throws -> [Recording.Exchange] {
        try Recording(contentsOf: file).exchanges
    }

    static func urls(_ file: URL) throws -> [String] { try exchanges(file).map(\.request.url.absoluteString) }
}
