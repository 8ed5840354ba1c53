import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// A service whose response has a status, fields and a short body.
    private static func fixedResponse(
        _ status: Int, _ fields: KeyValuePairs<String, String> = [:]
    ) throws -> ClosureService {
        let fields = try HTTPFields(fields)
        return ClosureService { $0.response(HTTPStatus(status) ?? .ok, fields: fields, body: Data("body".utf8)) }
    }

    /// Response heads.
    static let responses: [ConformanceCase] = [
        ConformanceCase("every status is a response") { subject in
            let statuses = [200, 201, 206, 299, 400, 403, 404, 413, 418, 429, 500, 503, 599, 999]
            let service = ClosureService { request in
                let code = Int(request.url.lastPathComponent) ?? 0
                return request.response(HTTPStatus(code) ?? .ok, body: Data("\(code)".utf8))
            }
            try await subject.serving(service) { rig in
                for code in statuses {
                    let response = try await rig.send(.get, "/\(code)")
                    try expect(response.status.code, is: code, "the status")
                    try expect(response.body, is: Data("\(code)".utf8))
                }
            }
        },
        ConformanceCase("the response to HEAD has the length and no body") { subject in
            try await subject.serving(fixedResponse(200, ["Content-Length": "1000000000000"])) { rig in
                let response = try await rig.send(.head, limit: 10)
                try expect(response.fields[.contentLength], is: "1000000000000", "Content-Length")
                try expect(response.body, is: Data())
            }
        },
        ConformanceCase("204 has no body") { subject in
            try await subject.serving(fixedResponse(204, ["ETag": "\"a\""])) { rig in
                let response = try await rig.send(.put, body: .text("x"))
                try expect(response.status, is: .noContent, "the status")
                try expect(response.fields[.etag], is: "\"a\"", "ETag")
                try expect(response.body, is: Data())
            }
        },
        ConformanceCase("304 has no body, regardless of its Content-Length") { subject in
            try await subject.serving(fixedResponse(304, ["ETag": "\"a\"", "Content-Length": "5000"])) { rig in
                let response = try await rig.send(fields: HTTPFields(["If-None-Match": "\"a\""]))
                try expect(response.status, is: .notModified, "the status")
                try expect(response.body, is: Data())
            }
        },
        ConformanceCase("field names are case-insensitive, and fields of one name are combined") { subject in
            let service = try fixedResponse(
                200, ["x-a": "1", "eTaG": "\"q\"", "X-B": "one", "X-b": "two", "X-Empty": ""])
            try await subject.serving(service) { rig in
                let fields = try await rig.send().fields
                try expect(fields["X-A"], is: "1", "X-A")
                try expect(fields[.etag], is: "\"q\"", "ETag")
                try expect(fields["x-empty"], is: "", "X-Empty")
                try expect(
                    fields["X-B"] == "one, two" || fields["X-B"] == "two, one", "X-B is \(fields["X-B"] ?? "missing")")
            }
        },
        ConformanceCase("fields whose names differ only in case are combined") { subject in
            try await subject.serving(fixedResponse(200, ["Via": "1.1 a", "via": "1.1 b"])) { rig in
                let via = try await rig.send().fields["Via"] ?? ""
                try expect(Set(via.split(separator: ", ")), is: ["1.1 a", "1.1 b"], "Via")
            }
        },
        ConformanceCase("a value may be long, and may be UTF-8") { subject in
            let long = String(repeating: "0123456789", count: 6_000)
            try await subject.serving(fixedResponse(200, ["X-Long": long, "X-Text": "ä€𝄞"])) { rig in
                let fields = try await rig.send().fields
                try expect(fields["X-Long"]?.utf8.count, is: 60_000, "the length of the long value")
                try expect(fields["X-Text"], is: "ä€𝄞", "the value in UTF-8")
            }
        },
        ConformanceCase("bytes of a field that are not UTF-8 are kept", needs: [.socket]) { subject in
            // As code points of the same numbers, and percent-encoded in a URI.
            let start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Text: gr"
            let bytes = Data(start.utf8) + [0xFC] + Data("n\r\nLocation: /".utf8) + [0xFF] + Data("\r\n\r\n".utf8)
            try await subject.serving(script: { _ in [.send(bytes)] }) { rig in
                let fields = try await rig.send().fields
                try expect(fields["X-Text"], is: "gr\u{FC}n", "X-Text")
                try expect(fields[.location], is: "/%FF", "Location")
            }
        },
        ConformanceCase("a redirect is a response") { subject in
            for code in [300, 301, 302, 303, 305, 307, 308] {
                try await subject.serving(fixedResponse(code, ["Location": "/elsewhere?a=b"])) { rig in
                    let response = try await rig.send()
                    try expect(response.status.code, is: code, "the status")
                    try expect(response.fields[.location], is: "/elsewhere?a=b", "Location")
                    try expect(response.body, is: Data("body".utf8))
                    try expect(rig.requests.count, is: 1, "the number of requests")
                }
            }
        },
        ConformanceCase("a redirect without a Location is a response") { subject in
            try await subject.serving(fixedResponse(302)) { rig in
                let response = try await rig.send()
                try expect(response.status, is: .found, "the status")
                try expect(response.fields[.location], is: nil, "Location")
            }
        },
        ConformanceCase("a redirect without a Location keeps its body") { subject in
            try await subject.serving(fixedResponse(302)) { rig in
                try await expect(rig.send().body, is: Data("body".utf8))
            }
        },
        ConformanceCase("a redirect to an IPv6 address is a response", needs: [.socket]) { subject in
            try await subject.serving(fixedResponse(302, ["Location": "//[::1]/"])) { rig in
                try await expect(rig.send().status, is: .found, "the status")
            }
        },
        ConformanceCase("a challenge is a response, at once and with its body") { subject in
            for challenge in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\"", "Bearer", "Negotiate"] {
                try await subject.serving(fixedResponse(401, ["WWW-Authenticate": challenge])) { rig in
                    let fields = try HTTPFields(["Authorization": "Basic dXNlcjp3cm9uZw=="])
                    for request in [try rig.request(), try rig.request(fields: fields)] {
                        let response = try await rig.transport.send(request)
                        try expect(response.status, is: .unauthorized, "the status")
                        try expect(response.fields[.wwwAuthenticate], is: challenge, "WWW-Authenticate")
                        try expect(response.body, is: Data("body".utf8))
                    }
                    try expect(rig.requests.count, is: 2, "the number of requests")
                }
            }
        },
        ConformanceCase("a challenge to a body is a response") { subject in
            try await subject.serving(fixedResponse(401, ["WWW-Authenticate": "Basic realm=\"x\""])) { rig in
                let response = try await rig.send(.post, body: .bytes(.sample(100_000)))
                try expect(response.status, is: .unauthorized, "the status")
                try expect(response.body, is: Data("body".utf8))
            }
        },
        ConformanceCase("a proxy's challenge is a response") { subject in
            try await subject.serving(fixedResponse(407, ["Proxy-Authenticate": "Basic realm=\"x\""])) { rig in
                let response = try await rig.send()
                try expect(response.status.code, is: 407, "the status")
                try expect(response.body, is: Data("body".utf8))
                try expect(response.head.isProxyChallenge, is: false, "the challenge of a server as one of a proxy")
            }
        },
    ]
}
