import Foundation
import HTTPMessages
import Testing
import Transport

@testable import PatchbayTestKit

/// Behavior 9: the file of a recording.
@Suite struct RecordingFileTests {
    private static func sample() throws -> Recording {
        let get = try HTTPRequest(.get, "https://h/a?token=<redacted>", fields: HTTPFields(["Accept": "*/*"]))
        let post = try HTTPRequest(.post, "https://h/b", body: .text("line 1\nline 2\n"))
        return Recording([
            Recording.Exchange(get, get.response(text: "ä€🎈 \"quoted\"\n")),
            Recording.Exchange(post, post.response(body: Data([0, 1, 0xFF]))),
            Recording.Exchange(get, TransportError(.timedOut, "Timed out.", request: get, phase: .response)),
        ])
    }

    @Test func `the file has the trailers, and whether a proxy has challenged the request`() throws {
        let request = try HTTPRequest(.get, "http://h/a")
        let trailers = try HTTPFields(["X-Sum": "7", "X-Api-Key": "sesame"])
        var exchanges = [
            Recording.Exchange(request, request.response(body: Data("x".utf8), trailers: trailers)),
            Recording.Exchange(request, try request.proxyChallenge("Basic realm=\"r\"")),
        ]
        var secrets = RecordedSecrets(.standard)
        for index in exchanges.indices { secrets.clean(&exchanges[index]) }
        let data = try RecordingFile.data(of: Recording(exchanges))
        let heads = try RecordingFile.recording(data).exchanges.map(\.head)
        #expect(heads.map { $0?.trailers?["X-Sum"] } == ["7", nil])
        #expect(heads.map { $0?.isProxyChallenge } == [false, true])
        #expect(!String(decoding: data, as: UTF8.self).contains("sesame"))
    }

    @Test func `the file is readable, in lines, and equal for equal exchanges`() throws {
        let data = try RecordingFile.data(of: Self.sample())
        #expect(
            String(decoding: data, as: UTF8.self) == #"""
                {
                  "version" : 1,
                  "exchanges" : [
                    {
                      "request" : {
                        "method" : "GET",
                        "url" : "https://h/a?token=<redacted>",
                        "fields" : [
                          "Accept: */*"
                        ]
                      },
                      "response" : {
                        "status" : 200,
                        "fields" : [
                          "Content-Type: text/plain; charset=utf-8"
                        ],
                        "body" : {
                          "text" : "ä€🎈 \"quoted\"\n"
                        }
                      }
                    },
                    {
                      "request" : {
                        "method" : "POST",
                        "url" : "https://h/b",
                        "body" : {
                          "text" : [
                            "line 1\n",
                            "line 2\n"
                          ]
                        }
                      },
                      "response" : {
                        "status" : 200,
                        "body" : {
                          "base64" : "AAH/"
                        }
                      }
                    },
                    {
                      "request" : {
                        "method" : "GET",
                        "url" : "https://h/a?token=<redacted>",
                        "fields" : [
                          "Accept: */*"
                        ]
                      },
                      "error" : {
                        "code" : "timedOut",
                        "message" : "Timed out.",
                        "phase" : "response"
                      }
                    }
                  ]
                }

                """#)
        let again = try RecordingFile.recording(data)
        #expect(try RecordingFile.data(of: again) == data)
        #expect(
            again.exchanges[1].requestBody == Data("line 1\nline 2\n".utf8)
                && again.exchanges[1].body == Data([0, 1, 0xFF]))
    }

    private static let minimal = #"{"request":{"method":"GET","url":"http://h/"},"response":{"status":200}}"#

    @Test(
        arguments: [
            ("", RecordingError.Code.malformed, nil, 1), ("{}", .malformed, nil, 1),
            ("{\"exchanges\":[\n<M>,\n<M>", .malformed, 2, 3),
            ("{\"exchanges\":[\n<M>,\n{}]}", .malformed, 1, 3),
            ("{\"version\":2,\"exchanges\":[]}", .unsupportedVersion, nil, 1),
            ("{\"exchanges\":[<M>,\n<W>]}", .malformed, 1, 2), ("{\"exchanges\":[\n\n<S>]}", .malformed, 0, 3),
            ("{\"exchanges\":[<M>,<M>,<M>,\n<U>]}", .malformed, 3, 4 - 2), ("{\"exchanges\":[<E>]}", .malformed, 0, 1),
            ("{\"exchanges\":[<N>]}", .malformed, 0, 1),
        ] as [(String, RecordingError.Code, Int?, Int)])
    func `a damaged file is an error with exchange and line`(
        text: String, code: RecordingError.Code, exchange: Int?, line: Int
    ) {
        let wrong = Self.minimal.replacing(#""status":200"#, with: #""status":200,"body":{"base64":"se*same"}"#)
        let file = text.replacing("<M>", with: Self.minimal).replacing("<W>", with: wrong)
            .replacing("<S>", with: Self.minimal.replacing("200", with: "9"))
            .replacing("<U>", with: Self.minimal.replacing("http://h/", with: "ftp://sesame@h/"))
            .replacing(
                "<E>", with: #"{"request":{"method":"GET","url":"http://h/"},"error":{"code":"sesame","message":""}}"#
            )
            .replacing("<N>", with: #"{"request":{"method":"GET","url":"http://h/"}}"#)
        let error = #expect(throws: RecordingError.self) { try RecordingFile.recording(Data(file.utf8)) }
        #expect(error?.code == code && error?.line == line, "\(String(describing: error))")
        if let exchange { #expect(error?.exchange == exchange) }
        #expect(error.map { !"\($0)".contains("sesame") } == true)
    }

    @Test func `a missing file is an error of replays`() async throws {
        let transport = Recording.transport(URL(filePath: "/nowhere/a.json"), over: FakeTransport { $0.response() })
        let request = try HTTPRequest(.get, "https://h/")
        for _ in 0..<2 {
            let error = await #expect(throws: RecordingError.self) { try await transport.send(request) }
            #expect(error?.code == .unreadableFile)
        }
        let recorder = Recording.transport(
            URL(filePath: "/proc/nowhere/a.json"), mode: .record, over: FakeTransport { $0.response() })
        _ = try await recorder.send(request)
        let error = #expect(throws: RecordingError.self) { try recorder.save() }
        #expect(error?.code == .unwritableFile)
    }

    @Test func `bytes at random never trap`() throws {
        let text = Array(try RecordingFile.data(of: Self.sample()))
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            var damaged = text
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? RecordingFile.recording(Data(damaged))
        }
    }
}
