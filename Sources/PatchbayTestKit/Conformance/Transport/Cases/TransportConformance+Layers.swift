import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    private static func redirecting(_ rig: ConformanceRig) -> any Transport {
        func wrapped(_ base: some Transport) -> any Transport { Redirecting(base: base) }
        return wrapped(rig.transport)
    }

    private static func keepingCookies(_ rig: ConformanceRig) -> any Transport {
        func wrapped(_ base: some Transport) -> any Transport { Redirecting(base: CookieKeeping(base: base)) }
        return wrapped(rig.transport)
    }

    /// A service that answers `/there` with method and body, and every other path with a redirect.
    private static func redirectService(_ status: HTTPStatus, to location: String) throws -> ClosureService {
        let fields = try HTTPFields(["Location": location])
        return ClosureService { request in
            guard request.url.path() == "/there" else { return request.response(status, fields: fields) }
            let body = String(decoding: try await request.body.collect(), as: UTF8.self)
            return request.response(text: "\(request.method) \(request.url.query() ?? "") \(body)")
        }
    }

    /// The transport below ``Redirecting``.
    static let redirects: [ConformanceCase] =
        [
            (HTTPStatus.movedPermanently, "GET q=1 "), (.found, "GET q=1 "), (.seeOther, "GET q=1 "),
            (.temporaryRedirect, "POST q=1 body"), (.permanentRedirect, "POST q=1 body"),
        ].map { status, expected in
            ConformanceCase("a POST redirected with \(status.code) continues as \(expected.prefix { $0 != " " })") {
                subject in
                try await subject.serving(redirectService(status, to: "/there?q=1")) { rig in
                    let request = try rig.request(.post, "/here", body: .text("body"))
                    let response = try await redirecting(rig).send(request)
                    try expect(response.body, is: Data(expected.utf8))
                    try expect(response.head.redirects.map(\.status), is: [status], "the list of redirects")
                    try expect(rig.requests.count, is: 2, "the number of requests")
                }
            }
        } + [
            ConformanceCase("a redirect's Location may be relative") { subject in
                let redirects = [
                    ("there", "/a/b", "/a/there"), ("../there?x", "/a/b/c", "/a/there?x"), ("?q=%2F", "/a", "/a?q=%2F"),
                    ("/%2F/./there#part", "/a", "/%2F/there"), ("/there?a b", "/a", "/there?a%20b"),
                ]
                for (location, start, end) in redirects {
                    let fields = try HTTPFields(["Location": location])
                    let service = ClosureService { request in
                        request.target == start ? request.response(.found, fields: fields) : request.response()
                    }
                    try await subject.serving(service) { rig in
                        let response = try await redirecting(rig).send(rig.request(.get, start))
                        try expect(response.status, is: .ok, "the status")
                        try expect(
                            rig.requests.map(\.target), is: [start, end], "the targets with the Location \(location)")
                    }
                }
            },
            ConformanceCase("a redirect loop is an error") { subject in
                let fields = try HTTPFields(["Location": "/here"])
                try await subject.serving({ $0.response(.found, fields: fields) }) { rig in
                    let request = try rig.request(.get, "/here")
                    try await expectError(.tooManyRedirects) { try await redirecting(rig).send(request) }
                    try expect(rig.requests.count < 30, "\(rig.requests.count) requests arrived")
                }
            },
            ConformanceCase("credentials do not follow a redirect to another origin") { subject in
                let target = Watched("")
                let service = ClosureService { request in
                    guard request.url.path() == "/here" else { return request.response() }
                    return request.response(.found, fields: try HTTPFields(["Location": target.value]))
                }
                try await subject.serving(service, origins: 2) { rig in
                    target.update { $0 = rig.origins[1] + "/there" }
                    let fields = try HTTPFields([
                        "Authorization": "Bearer s3cret", "Cookie": "a=s3cret", "X-Api-Key": "s3cret", "X-Plain": "1",
                    ])
                    let response = try await redirecting(rig).send(rig.request(.get, "/here", fields: fields))
                    try expect(response.status, is: .ok, "the status")
                    try expect(rig.requests.count, is: 2, "the number of requests")
                    try expect(
                        rig.requests[0].fields[.authorization], is: "Bearer s3cret",
                        "Authorization of the first request")
                    let leaked = rig.requests[1].fields.filter { $0.value.contains("s3cret") }.map(\.name.rawName)
                    try expect(leaked, is: [], "the list of leaked secrets")
                    try expect(rig.requests[1].fields["X-Plain"], is: "1", "the field without a secret")
                }
            },
            ConformanceCase("a one-shot stream is not sent to the target of a redirect") { subject in
                try await subject.serving(redirectService(.temporaryRedirect, to: "/there")) { rig in
                    let request = try rig.request(.post, "/here", body: .stream(stream([Data("once".utf8)])))
                    let error = try await expectError(.redirectRefused) {
                        try await redirecting(rig).send(request)
                    }
                    try expect(error.head?.status, is: .temporaryRedirect, "the status in the error")
                }
            },
        ]

    /// The transport below ``CookieKeeping``.
    static let cookies: [ConformanceCase] = [
        ConformanceCase("cookies are kept, also several of one response and on a redirect") { subject in
            let fields = try HTTPFields([
                "Set-Cookie": "a=1; Path=/", "Set-Cookie": "b=2; Expires=Fri, 31 Dec 9999 23:59:59 GMT",
                "Location": "/there",
            ])
            let service = ClosureService { request in
                request.url.path() == "/there" ? request.response() : request.response(.found, fields: fields)
            }
            try await subject.serving(service) { rig in
                let transport = keepingCookies(rig)
                _ = try await transport.send(rig.request(.get, "/here"))
                _ = try await transport.send(rig.request(.get, "/there"))
                let sent = rig.requests.map { Set(($0.fields[.cookie] ?? "").split(separator: "; ")) }
                try expect(sent, is: [[], ["a=1", "b=2"], ["a=1", "b=2"]], "the list of cookies sent")
            }
        },
        ConformanceCase("a comma in a cookie's value does not start another cookie") { subject in
            let fields = try HTTPFields(["Set-Cookie": "name=Joe, session=evil"])
            try await subject.serving({ $0.response(fields: fields) }) { rig in
                let transport = keepingCookies(rig)
                for _ in 0..<2 { _ = try await transport.send(rig.request()) }
                try expect(rig.requests.last?.fields[.cookie], is: "name=Joe, session=evil", "the cookie sent")
            }
        },
        ConformanceCase("cookies expire, and are sent for their path only") { subject in
            let service = ClosureService { request in
                switch request.url.path() {
                case "/set":
                    return request.response(
                        fields: try HTTPFields([
                            ("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/deep"),
                            ("Set-Cookie", "c=3; Secure"),
                        ]))
                case "/end": return request.response(fields: try HTTPFields(["Set-Cookie": "a=; Path=/; Max-Age=0"]))
                default: return request.response()
                }
            }
            try await subject.serving(service) { rig in
                let transport = keepingCookies(rig)
                for path in ["/set", "/", "/deep/er", "/end", "/"] {
                    _ = try await transport.send(rig.request(.get, path))
                }
                let sent = rig.requests.map { $0.fields[.cookie] }
                try expect(
                    [nil, "a=1"] + [sent[2]] + ["a=1", nil], is: sent, "the list of cookies sent")
                try expect(
                    Set((sent[2] ?? "").split(separator: "; ")), is: ["a=1", "b=2"],
                    "the list of cookies sent to /deep/er")
            }
        },
        ConformanceCase("cookies of a failed response are kept", needs: [.faults]) { subject in
            let fields = try HTTPFields(["Set-Cookie": "a=1"])
            let service = ClosureService { $0.response(fields: fields, body: .sample(1_000)) }
            try await subject.serving(service, faults: { $0 == 0 ? .close(.inBody) : nil }) { rig in
                let transport = keepingCookies(rig)
                try await expectError(.truncated) { try await transport.send(rig.request(.post, body: .text("x"))) }
                _ = try await transport.send(rig.request())
                try expect(rig.requests.last?.fields[.cookie], is: "a=1", "the cookie sent")
            }
        },
    ]
}
