import Foundation
import HTTPMessages
import JSON
import ResponseDecoding

@testable import SystemLibraries
@testable import WebSockets

extension FuzzTarget {
    /// Formats that are read while they arrive.
    static let streams = [
        FuzzTarget("lines", ["a\r\nb\nc\n\nd"], words: ["\r", "\n", "\r\n"]) { bytes in
            try promiseSame(bytes) { try outcomes(LineParser(maximumLength: 64), $0) }
        },
        FuzzTarget(
            "events", ["\u{FEFF}event: a\nid: 1\ndata: x\ndata:y\nretry: 5\n\n: comment\r\n\r\ndata\r\r"],
            words: ["data:", "id:", "retry:", "event:", "\r", "\n\n", "\u{FEFF}", "9223372036854775808"]
        ) { bytes in
            try promiseSame(bytes) { try outcomes(ServerSentEventParser(maximumLength: 64), $0) }
        },
        FuzzTarget("ndjson", ["{\"a\":1}\n[2]\r\n\n\"x\"\nnull"], words: ["{", "}", "\n", "\"", "1e400"]) { bytes in
            try promiseSame(bytes) { try outcomes(NDJSONParser(maximumLength: 64), $0) }
        },
        FuzzTarget("json-sequences", ["\u{1E}{\"a\":1}\n\u{1E}12\n\u{1E}\u{1E}\"x\"\n"], words: ["\u{1E}", "\n", "1"]) {
            bytes in
            try promiseSame(bytes) { try outcomes(JSONSequenceParser(maximumLength: 64), $0) }
        },
        FuzzTarget(
            "json-items", [#"{"x":1,"items":[1,{"a":[2]},"s",null],"y":{}}"#, #"{"items":null}"#, #"{"items":[]}"#],
            words: ["\"items\":[", "]", "}", ",", "null", "\\u0069tems"]
        ) { bytes in
            try promiseSame(bytes) { try outcomes(JSONItemParser(JSONValue.self, at: ["items"]), $0) }
            // Of an item that is too long and also invalid, the chunks decide which error comes.
            for size in [1, 7, 1000] {
                let parser = JSONItemParser(JSONValue.self, at: ["items"], maximumLength: 64)
                _ = try outcomes(parser, bytes.pieces(of: size))
            }
        },
        FuzzTarget(
            "multipart",
            [
                "preamble\r\n--b\r\nContent-Type: text/plain\r\n\r\none\r\n--b  \r\n\r\n\r\n--b--\r\nepilogue",
                "--b\nA: b\n\nx\n--b--",
            ],
            words: ["--b", "--b--", "\r\n", "\r\n\r\n", "Content-Length: 3", ": "]
        ) { bytes in
            try promiseSame(bytes) { pieces in
                let parser = try MultipartParser(boundary: "b")
                // Bytes come as they arrive.
                return try outcomes(parser, pieces).reduce(into: [String]()) { texts, outcome in
                    guard case .success(.bytes(let data)) = outcome else { return texts.append("\(outcome)") }
                    if texts.last?.hasPrefix("bytes ") == true {
                        texts[texts.count - 1] += data.map { "\($0)," }.joined()
                    } else {
                        texts.append("bytes " + data.map { "\($0)," }.joined())
                    }
                }
            }
        },
        FuzzTarget(
            "frames",
            data: [
                Data([0x81, 2, 0x68, 0x69]), Data([0x01, 1, 0xC3, 0x80, 1, 0xA4, 0x89, 0, 0x88, 2, 3, 0xE8]),
                Data([0xC1, 7, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]), Data([0x82, 126, 0, 3, 1, 2, 3]),
                Data([0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B]), Data([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1, 9]),
            ]
        ) { bytes in
            for role in [WebSocketRole.client, .server] {
                for compression in [nil, CompressionAgreement()] as [CompressionAgreement?] {
                    try promiseSame(bytes) { pieces in
                        var decoder = FrameDecoder(
                            role: role, limit: 4096, inflater: try compression?.inflater(for: role))
                        var events: [FrameEvent] = []
                        do throws(WebSocketError) {
                            for piece in pieces {
                                decoder.supply(piece)
                                while let event = try decoder.next() { events.append(event) }
                            }
                            return "\(events)"
                        } catch {
                            // Of several mistakes of the peer, the chunks decide which one is found first.
                            return "\(events) \(type(of: error))"
                        }
                    }
                }
            }
        },
        FuzzTarget(
            "inflation",
            data: [
                Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJVyjPL8pJAQCFEUoNCwAAAA==") ?? Data(),
                Data([0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]),
                Data([0xCA, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]),
            ]
        ) { bytes in
            for format in [ZlibFormat.gzip, .zlib, .raw(windowBits: 15)] {
                try promiseSame(bytes) { pieces in
                    let inflater = try Inflater(format)
                    var output = Data()
                    do throws(SystemLibraryError) {
                        for piece in pieces {
                            inflater.supply(piece)
                            while let bytes = try inflater.read(atMost: 4096) {
                                output += bytes.prefix(1 << 20 - output.count)
                            }
                        }
                        inflater.finish()
                        while let bytes = try inflater.read(atMost: 4096) {
                            output += bytes.prefix(1 << 20 - output.count)
                        }
                        return "\(output.count) \(output.base64EncodedString())"
                    } catch {
                        return "\(error.code)"
                    }
                }
            }
        },
    ]

    /// All values and errors of a parser; throws if they have no end.
    private static func outcomes<Parser: ByteStreamParser>(
        _ parser: Parser, _ pieces: [Data]
    ) throws -> [Outcome<Parser.Output>] where Parser.Output: Hashable {
        var parser = parser
        var outcomes: [Outcome<Parser.Output>] = []
        let bound = pieces.reduce(16) { $0 + $1.count * 2 }
        func drain() throws {
            while true {
                do {
                    guard let value = try parser.next() else { return }
                    outcomes.append(.success(value))
                } catch {
                    outcomes.append(.failure(error.code, line: error.line, error.message))
                }
                try promise(outcomes.count <= bound, "the outcomes have no end: \(outcomes.suffix(3))")
            }
        }
        for piece in pieces {
            parser.push(piece)
            try drain()
        }
        parser.finish()
        try drain()
        return outcomes
    }

    private enum Outcome<Output: Hashable>: Hashable {
        case success(Output)
        case failure(StreamDecodingError.Code, line: Int, String)
    }
}
