import Foundation
import HTTPMessages

extension StreamDecodingError {
    /// Creates the error for a line that is not JSON.
    init(syntaxError: JSONError, in line: LineSplitter.Line) {
        self.init(.invalidJSON, syntaxError.message, line: line.number, linePrefix: line.bytes, underlying: syntaxError)
    }

    /// Creates the error for a line that a `Decodable` type rejected.
    init(decoding error: any Error, in line: LineSplitter.Line) {
        if let syntaxError = ResponseDecodingError.syntaxError(of: error, in: line.bytes) {
            self.init(.invalidJSON, syntaxError.message, line: line.number, linePrefix: line.bytes, underlying: error)
            return
        }
        let path = CodingPath(of: error)
        self.init(
            .unexpectedValue, "\(path.subject) \(ResponseDecodingError.problem(of: error)).", line: line.number,
            linePrefix: line.bytes, byteOffset: JSONError(within: error)?.location?.offset,
            codingPath: path.description,
            underlying: error)
    }
}
