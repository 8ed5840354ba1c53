import Foundation
import HTTPMessages

extension StreamDecodingError {
    /// The error for a line that is not JSON.
    init(fault: HTTPMessageError, in line: LineSplitter.Line) {
        self.init(.invalidJSON, fault.message, line: line.number, linePrefix: line.bytes, underlying: fault)
    }

    /// The error for a line that a `Decodable` type did not take.
    init(decoding error: any Error, in line: LineSplitter.Line) {
        if case DecodingError.dataCorrupted = error, let fault = ResponseDecodingError.fault(in: line.bytes) {
            self.init(.invalidJSON, fault.message, line: line.number, linePrefix: line.bytes, underlying: error)
            return
        }
        let path = CodingPath(of: error)
        self.init(
            .unexpectedValue, "\(path.subject) \(ResponseDecodingError.problem(of: error)).", line: line.number,
            linePrefix: line.bytes, codingPath: path.description, underlying: error)
    }
}
