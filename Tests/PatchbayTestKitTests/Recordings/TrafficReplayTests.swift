import Foundation
import HTTPMessages
import PatchbayTestKit
import Testing
import Transport

/// Behavior 13: old traffic as proof.
@Suite struct TrafficReplayTests {
    private func exchange(
        _ method: HTTPMethod, _ path: String, _ body: String? = nil, fields: KeyValuePairs<String, String> = [:],
        response: String = "{}"
    ) throws -> (request: HTTPRequest, response: HTTPResponse) {
        let request = try HTTPRequest(
            method, "https://old.example.com" + path, fields: HTTPFields(fields), body: body.map { .text($0) } ?? .empty
        )
        return (request, request.response(text: response))
    }

    @Test func `requests as recorded are the same, and get the recorded responses`() async throws {
        let json: KeyValuePairs = ["Content-Type": "application/json", "User-Agent": "Old/1.0", "Cookie": "a=old"]
        let replay = TrafficReplay([
            try exchange(.get, "/items?b=2&a=1", response: "items"),
            try exchange(.post, "/items", #"{"a":1,"token":"x"}"#, fields: json),
        ])
        let report = await replay.run { recorded in
            if recorded.method == .get {
                let response = try await replay.send(exchange(.get, "/items?a=1&b=2").request)
                #expect(response.body == Data("items".utf8))
            } else {
                let fields: KeyValuePairs = [
                    "content-type": "application/json", "User-Agent": "New/2.0", "Cookie": "a=new",
                ]
                _ = try await replay.send(exchange(.post, "/items", #"{"token":"y","a":1}"#, fields: fields).request)
            }
        }
        #expect(report.isClean && "\(report)" == "2 requests as recorded")
    }

    @Test func `each difference is listed with its request`() async throws {
        let replay = TrafficReplay([
            try exchange(.get, "/items?a=1", fields: ["X-App": "old", "Accept": "*/*"]),
            try exchange(.put, "/items/7", #"{"a":[1,2]}"#),
            try exchange(.get, "/moved"), try exchange(.get, "/forgotten"), try exchange(.get, "/failing"),
        ])
        let report = await replay.run { recorded in
            switch recorded.url.path {
            case "/items":
                _ = try await replay.send(
                    exchange(.get, "/items?a=2", fields: ["X-App": "new", "X-New": "1", "Accept": "*/*"]).request)
            case "/items/7": _ = try await replay.send(exchange(.put, "/items/7", #"{"a":[1,3]}"#).request)
            case "/moved":
                _ = try await replay.send(exchange(.get, "/elsewhere").request)
                _ = try await replay.send(exchange(.get, "/extra?token=sesame").request)
            case "/failing": throw TransportError(.unsupported, "Not built.")
            default: break
            }
        }
        #expect(!report.isClean)
        #expect(
            "\(report)" == """
                0. GET https://old.example.com/items?a=1: query parameter `a`: recorded 1, sent 2; \
                field `x-app`: recorded old, sent new; field `x-new`: recorded none, sent 1
                1. PUT https://old.example.com/items/7: body at `a[1]`: recorded 2, sent 3
                2. GET https://old.example.com/moved: path: recorded /moved, sent /elsewhere
                3. GET https://old.example.com/forgotten: not sent
                4. GET https://old.example.com/failing: not sent: Not built. [unsupported]
                GET https://old.example.com/extra?token=<redacted>: not recorded
                """)
    }

    @Test func `the field of a credential that a layer has added counts as equal, and is not shown`() async throws {
        let replay = TrafficReplay([
            try exchange(.get, "/same", fields: ["X-Parcel": "old-key"]),
            try exchange(.get, "/other?a=1", fields: ["X-Parcel": "old-key"]), try exchange(.get, "/none"),
        ])
        let report = await replay.run { recorded in
            let path = recorded.url.path == "/other" ? "/other?a=2" : recorded.url.path
            var request = try exchange(.get, path, fields: ["X-Parcel": "k-4711"]).request
            request.options.credentialFields = [try HTTPFieldName("X-Parcel")]
            _ = try await replay.send(request)
        }
        #expect(
            "\(report)" == """
                1. GET https://old.example.com/other?a=1: query parameter `a`: recorded 1, sent 2
                2. GET https://old.example.com/none: field `x-parcel`: recorded none, sent <redacted>
                """)
    }

    @Test func `a body with credentials counts as equal, and is not shown`() async throws {
        let json: KeyValuePairs = ["Content-Type": "application/json"]
        let replay = TrafficReplay([
            try exchange(.post, "/same", #"{"phrase":"old-horse"}"#, fields: json),
            try exchange(.post, "/none", #"{"phrase":"old-horse"}"#, fields: json),
        ])
        let report = await replay.run { recorded in
            let body = recorded.url.path == "/same" ? #"{"phrase":"new-horse"}"# : nil
            var request = try exchange(.post, recorded.url.path, body, fields: json).request
            request.options.hasSecretBody = true
            _ = try await replay.send(request)
        }
        #expect("\(report)".contains("POST https://old.example.com/none: body") && report.items[0].outcome == .same)
        #expect(!"\(report)".contains("horse"), "\(report)")
    }

    @Test(arguments: [("%2B49", "+49"), ("+49", "%2B49"), ("%2B49", "%252B49"), ("a+b", "a%20b")])
    func `a plus sign and an escaped one are different in a query`(recorded: String, sent: String) async throws {
        let replay = TrafficReplay([try exchange(.get, "/s?p=\(recorded)")])
        _ = try await replay.send(exchange(.get, "/s?p=\(sent)").request)
        #expect(!replay.report.isClean && "\(replay.report)".contains("query parameter `p`"), "\(replay.report)")
    }

    @Test(arguments: [("%2B49", "%2b49"), ("a%20b%C3%A9", "a%20b%c3%a9"), ("%41", "A"), ("5%25", "5%25")])
    func `other escapes of a query are the same`(recorded: String, sent: String) async throws {
        let replay = TrafficReplay([try exchange(.get, "/s?p=\(recorded)")])
        _ = try await replay.send(exchange(.get, "/s?p=\(sent)").request)
        #expect(replay.report.isClean, "\(replay.report)")
    }

    @Test func `traffic without a request proves nothing`() async {
        let report = await TrafficReplay([]).run { _ in }
        #expect(!report.isClean && "\(report)" == "The traffic has no requests")
    }

    @Test func `of equal requests each is compared with one recording`() async throws {
        let replay = TrafficReplay([
            try exchange(.post, "/rpc", "1", response: "one"), try exchange(.post, "/rpc", "2", response: "two"),
        ])
        #expect(try await replay.send(exchange(.post, "/rpc", "2").request).body == Data("two".utf8))
        #expect(try await replay.stream(exchange(.post, "/rpc", "1").request).collect().body == Data("one".utf8))
        #expect(replay.report.isClean)
        let error = await #expect(throws: RecordingError.self) {
            try await replay.send(exchange(.post, "/rpc", "1").request)
        }
        #expect(error?.code == .noMatch && !replay.report.isClean)
    }

    @Test func `a request is compared with those of its method and path only`() async throws {
        let count = Watched(0)
        let rules = RecordingRules {
            $0.comparesBody = true
            $0.normalize = { _ in count.update { $0 += 1 } }
        }
        let replay = TrafficReplay(try (0..<20).map { try exchange(.get, "/items/\($0)") }, rules: rules)
        let report = await replay.run { _ = try await replay.send($0) }
        #expect(report.isClean && count.value <= 20 * 4, "\(count.value)")
    }
}
