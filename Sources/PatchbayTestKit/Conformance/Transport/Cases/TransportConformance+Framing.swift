import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    /// A case in which the server sends raw bytes and the response is checked.
    private static func reads(
        _ name: String, _ bytes: String, thenCloses: Bool = false,
        _ check: @escaping @Sendable (HTTPResponse) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            let end: [ServerScript.Step] = thenCloses ? [.close] : []
            try await subject.serving(script: { _ in ServerScript([.send(bytes)] + end) }) { rig in
                try await check(rig.send())
            }
        }
    }

    /// A case in which the server sends raw bytes and closes, and the request fails.
    private static func refuses(_ name: String, _ bytes: String, _ codes: TransportError.Code...) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            try await subject.serving(script: { _ in [.send(bytes), .close] }) { rig in
                try await expectError(codes) { try await rig.send(.post, body: .text("x")) }
            }
        }
    }

    /// A case with heads that say in different ways where their body ends, with the bytes of a body.
    private static func frames(
        _ name: String, body: String, _ lines: [String],
        _ check: @escaping @Sendable (_ line: String, ConformanceRig) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            for line in lines {
                let bytes = "HTTP/1.1 200 OK\r\n\(line)\r\n\r\n\(body)"
                try await subject.serving(script: { _ in [.send(bytes), .close] }) { try await check(line, $0) }
            }
        }
    }

    private static func refusesFraming(_ name: String, body: String = "hello", _ lines: [String]) -> ConformanceCase {
        frames(name, body: body, lines) { line, rig in
            do throws(ConformanceFailure) {
                try await expectError(.malformedResponse) { try await rig.send(.post, body: .text("x")) }
            } catch {
                throw ConformanceFailure("\(line.debugDescription): \(error.message)")
            }
        }
    }

    private static let chunkedHello = "5\r\nhello\r\n0\r\n\r\n"

    /// Valid and invalid message framing.
    static let framing: [ConformanceCase] = [
        reads(
            "interim responses are skipped",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nX-I: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\n"
                + "Link: </a>\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok"
        ) { response in
            try expect(response.status, is: .created, "the status")
            try expect(response.body, is: Data("ok".utf8))
            try expect(response.fields["X-I"], is: nil, "a field of the interim response")
        },
        reads(
            "whitespace around a value and line folding are removed",
            "HTTP/1.1 200 OK\r\nX-Blank:   v  \r\nX-Folded: one\r\n  two\r\nContent-Length: 0\r\n\r\n"
        ) { response in
            try expect(response.fields["X-Blank"], is: "v", "X-Blank")
            let folded = response.fields["X-Folded"] ?? ""
            try expect(folded.split(separator: " "), is: ["one", "two"], "X-Folded")
        },
        reads(
            "a field without whitespace after its colon is accepted",
            "HTTP/1.1 200 OK\r\nX-A:b\r\nContent-Length: 0\r\n\r\n"
        ) {
            try expect($0.fields["X-A"], is: "b", "X-A")
        },
        reads("a status without a reason phrase is accepted", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok") {
            try expect($0.body, is: Data("ok".utf8))
        },
        reads("an HTTP/1.0 response ends with its connection", "HTTP/1.0 200 OK\r\n\r\nall of it", thenCloses: true) {
            try expect($0.body, is: Data("all of it".utf8))
        },
        reads("a response without a length ends with its connection", "HTTP/1.1 200 OK\r\n\r\nall", thenCloses: true) {
            try expect($0.body, is: Data("all".utf8))
        },
        reads(
            "chunks of every size are joined", chunkedHead + "1\r\na\r\n00A;x=y\r\n0123456789\r\n2 \r\nbc\r\n0\r\n\r\n"
        ) {
            try expect($0.body, is: Data("a0123456789bc".utf8))
        },
        ConformanceCase("chunks that come byte by byte are joined", needs: [.socket]) { subject in
            let bytes = Data((chunkedHead + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").utf8)
            try await subject.serving(script: { _ in [.drip(bytes, every: .milliseconds(1))] }) { rig in
                try await expect(rig.send().body, is: Data("abcde".utf8))
            }
        },
        ConformanceCase("a chunked body of any size is read") { subject in
            let service = ClosureService { request in
                let size = Int(request.url.lastPathComponent) ?? 0
                return request.response(fields: try HTTPFields(["Transfer-Encoding": "chunked"]), body: .sample(size))
            }
            try await subject.serving(service) { rig in
                for size in [0, 1, 65_536, 1 << 20] {
                    try await expect(rig.send(.get, "/\(size)").body, is: .sample(size))
                }
            }
        },
        reads("trailers are skipped", chunkedHead + "2\r\nok\r\n0\r\nX-Trailer: 1\r\n\r\n") {
            try expect($0.body, is: Data("ok".utf8))
        },
        reads(
            "trailers are told, apart from the head",
            chunkedHead + "2\r\nok\r\n0\r\nX-Sum: 1\r\nSet-Cookie: a=b\r\nX-Sum: 2\r\n\r\n"
        ) {
            try expect($0.trailers?.values(of: try HTTPFieldName("X-Sum")), is: ["1", "2"], "the trailer X-Sum")
            try expect($0.trailers?[.setCookie], is: "a=b", "the trailer Set-Cookie")
            try expect($0.fields["X-Sum"] == nil && $0.fields[.setCookie] == nil, "a trailer is among the fields")
        },
        refuses(
            "an overflowing Content-Length is refused",
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx", .responseTooLarge, .truncated,
            .malformedResponse),
        refusesFraming(
            "an invalid Content-Length is refused",
            [
                "Content-Length: 99999999999999999999", "Content-Length: 9223372036854775808", "Content-Length: +5",
                "Content-Length: -1", "Content-Length: 5x", "Content-Length: 0x5", "Content-Length: 5 5",
                "Content-Length: 5;q=1", "Content-Length: ",
            ]),
        refusesFraming(
            "Content-Lengths that contradict each other are refused",
            [
                "Content-Length: 5, 6", "Content-Length: 5,", "Content-Length: 5\r\nContent-Length: 6",
                "Content-Length: 6\r\nContent-Length: 5",
            ]),
        refusesFraming(
            "a transfer coding that was not requested is refused", body: chunkedHello,
            [
                "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, gzip",
                "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
            ]),
        refusesFraming(
            "a framing field with whitespace before its colon is refused", body: chunkedHello,
            ["Transfer-Encoding : chunked", "Content-Length : 3"]),
        frames(
            "a valid length in an unusual form is accepted", body: "hello",
            ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 005"]
        ) { line, rig in
            try await expect(rig.send().body == Data("hello".utf8), "\(line.debugDescription): the body differs")
        },
        frames("chunked is case-insensitive", body: chunkedHello, ["transfer-encoding: Chunked"]) { _, rig in
            try await expect(rig.send().body, is: Data("hello".utf8))
        },
        refuses(
            "a switch of the protocol that was not requested is refused",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\nhello", .malformedResponse),
        refuses("a connection closed without a response is an error", "", .connectionLost),
        refuses("a response that is not HTTP is an error", "220 mail.example.com ESMTP\r\n\r\n", .malformedResponse),
        refuses(
            "a truncated head is an error", "HTTP/1.1 200 OK\r\nContent-Le", .connectionLost, .malformedResponse,
            .truncated),
        refuses("a field without a colon is an error", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", .malformedResponse),
        refuses(
            "a head without an end is an error",
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X-Filler: 0123456789\r\n", count: 100_000),
            .malformedResponse),
        refuses("chunks without an end are an error", chunkedHead + "3\r\nabc\r\n", .truncated, .connectionLost),
        refuses("a chunk cut short is an error", chunkedHead + "9\r\nabc", .truncated, .connectionLost),
        refuses(
            "an invalid chunk size is an error", chunkedHead + "xyz\r\nabc\r\n0\r\n\r\n", .malformedResponse),
    ]
}
