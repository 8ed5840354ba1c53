import Foundation
import HTTPMessages
import Testing

@testable import SDMConnectivity

struct CallStateTests {
    private let target = URL(string: "http://example.com/next")

    private func sending() -> CallState {
        var state = CallState()
        #expect(state.start() == .send)
        return state
    }

    @Test func `any other status is received and finishes`() {
        for status in [200, 204, 300, 304, 305, 308, 403, 404, 500] {
            var state = sending()
            #expect(state.received(status: status, target: target, rules: .init()) == .receive)
            #expect(state.bodyEnded() == .finish && state.phase == .finished)
        }
    }

    @Test(arguments: [301, 302, 303, 307]) func `S7: redirects are followed five times`(status: Int) throws {
        let target = try #require(target)
        var state = sending()
        for count in 1...5 {
            #expect(state.received(status: status, target: target, rules: .init()) == .redirect(target))
            #expect(state.followed() == .send && state.redirectCount == count)
        }
        #expect(state.received(status: status, target: target, rules: .init()) == .fail(.tooMuchRedirection))
    }

    @Test func `S9: a redirect without a target, or that is turned off, is received`() {
        var state = sending()
        #expect(state.received(status: 302, target: nil, rules: .init()) == .receive)
        state = sending()
        #expect(state.received(status: 302, target: target, rules: .init(shouldRedirect: false)) == .receive)
    }

    private func challenge(_ state: inout CallState, _ status: Int) -> CallState.Action {
        state.received(status: status, isProxyChallenge: status == 407, target: nil, rules: .init())
    }

    @Test func `challenges are counted for servers and proxies`() {
        var state = sending()
        #expect(challenge(&state, 407) == .authenticate(isProxy: true))
        #expect(state.received(status: 407, target: nil, rules: .init()) == .receive)
        state = sending()
        #expect(challenge(&state, 407) == .authenticate(isProxy: true))
        #expect(state.authorized() == .send && state.proxyAuthenticationCount == 1)
        #expect(state.received(status: 401, target: nil, rules: .init()) == .authenticate(isProxy: false))
        #expect(state.authorized() == .send && state.authenticationCount == 1)
        #expect(state.received(status: 401, target: nil, rules: .init()) == .authenticate(isProxy: false))
        #expect(state.unauthorized() == .fail(.authentication) && state.authenticationCount == 1)
    }

    @Test(arguments: [401, 407]) func `S17: credentials are sought ten times, for the server and for a proxy`(
        status: Int
    ) {
        var state = sending()
        for _ in 0..<AUTHENTICATION_RETRY_COUNT {
            _ = challenge(&state, status)
            #expect(!state.isAuthenticationExhausted && state.authorized() == .send)
        }
        _ = challenge(&state, status)
        #expect(state.isAuthenticationExhausted && state.unauthorized() == .fail(.authentication))
        state = sending()
        for _ in 0..<AUTHENTICATION_RETRY_COUNT {
            _ = challenge(&state, status)
            _ = state.authorized()
        }
        _ = challenge(&state, status == 401 ? 407 : 401)
        #expect(!state.isAuthenticationExhausted)
    }

    @Test(arguments: [0, 1, 5]) func `S10: a timeout is retried as set`(limit: Int) {
        let rules = CallState.Rules(retryCountOnTimeout: limit)
        var state = sending()
        for count in 0..<limit {
            #expect(state.retryCount == count && state.failed(.timedOut, canRetry: true, rules: rules) == .send)
        }
        #expect(state.failed(.timedOut, canRetry: true, rules: rules) == .fail(.requestTimedOut))
        #expect(state.retryCount == limit)
    }

    @Test func `S11: a lost connection is retried once, and not after a timeout`() {
        let rules = CallState.Rules(retryCountOnTimeout: 1)
        var state = sending()
        #expect(state.failed(.connectionLost, canRetry: true, rules: rules) == .send && state.retryCount == 1)
        #expect(state.failed(.connectionLost, canRetry: true, rules: rules) == .fail(.connectionFailure))
        state = sending()
        #expect(state.failed(.timedOut, canRetry: true, rules: rules) == .send)
        #expect(state.failed(.connectionLost, canRetry: true, rules: rules) == .fail(.connectionFailure))
    }

    @Test func `after a response head, only idempotent methods are retried, but a challenge has refused any`() {
        for isIdempotent in [false, true] {
            let rules = CallState.Rules(retryCountOnTimeout: 1, isIdempotent: isIdempotent)
            for status in [200, 401] {
                var state = sending()
                _ = state.received(status: status, target: nil, rules: rules)
                let isRetried = state.failed(.timedOut, canRetry: true, rules: rules) == .send
                #expect(isRetried == (isIdempotent || status == 401))
            }
            var state = sending()
            #expect(state.failed(.timedOut, canRetry: true, rules: rules) == .send)
        }
    }

    @Test func `S11: after a lost connection, only safe methods are retried, but a challenge has refused any`() {
        for isSafe in [false, true] {
            let rules = CallState.Rules(isIdempotent: true, isSafe: isSafe)
            for status in [nil, 200, 401] {
                var state = sending()
                if let status { _ = state.received(status: status, target: nil, rules: rules) }
                let isRetried = state.failed(.connectionLost, canRetry: true, rules: rules) == .send
                #expect(isRetried == (isSafe || status == 401))
            }
        }
    }

    @Test func `nothing is retried after bytes have reached the delegate`() {
        let rules = CallState.Rules(retryCountOnTimeout: 5)
        for failure in [CallState.Failure.timedOut, .connectionLost] {
            var state = sending()
            #expect(state.failed(failure, canRetry: false, rules: rules) != .send && state.phase == .finished)
        }
    }

    @Test func `a subclass can send again once, and a cached response sends nothing`() {
        var state = sending()
        #expect(state.resend() == .send && state.resend() == nil)
        state = sending()
        #expect(state.cached() == .finish && state.phase == .finished)
    }

    @Test func `S10: the timeout is 1.5 times as long with a body, and 0 turns it off`() throws {
        let cases: [(Double, Int64, Duration?, Duration?)] = [
            (10, 0, .seconds(10), .seconds(10)), (10, 1, .seconds(15), .seconds(15)),
            (10, 128 << 10, .seconds(15), .seconds(15)), (10, 128 << 10 | 1, .seconds(15), .seconds(10)),
            (0, 0, nil, nil), (0, 1, nil, nil), (-1, 0, nil, nil),
        ]
        for (seconds, length, response, idle) in cases {
            let timeouts = try SDMHttpRequest.timeouts(seconds, bodyLength: length)
            #expect(timeouts.response == response && timeouts.idle == idle && timeouts.total == nil)
        }
    }

    @Test func `S12: what a response says about its connection`() throws {
        let cases: [([(String, String)], Bool, Double?)] = [
            ([], true, nil), ([("Connection", "close")], false, nil),
            ([("Connection", "Keep-Alive, Close")], false, nil),
            ([("Keep-Alive", "timeout=15, max=100")], true, 15), ([("Keep-Alive", "timeout=15, max=6")], true, 15),
            ([("Keep-Alive", "timeout=15, max=5")], false, nil), ([("Keep-Alive", "timeout=15")], true, nil),
        ]
        for (fields, isReusable, seconds) in cases {
            let keepAlive = KeepAlive(try head(fields), isWanted: true)
            #expect(keepAlive.isReusable == isReusable && keepAlive.seconds == seconds, "\(fields)")
            #expect(!KeepAlive(try head(fields), isWanted: false).isReusable)
        }
    }

    @Test func `S22: the charset of a response`() throws {
        let cases: [(String?, String.Encoding?)] = [
            (nil, nil), ("text/plain", nil), ("text/plain; charset=UTF-8", .utf8),
            ("text/plain; charset=utf-8; x=y", .utf8),
            (#"text/plain; charset="us-ascii""#, .ascii), ("text/plain; charset=ISO-8859-1", .isoLatin1),
            ("text/plain;charset=utf-16", .utf16), ("text/plain; charset=klingon", nil),
            ("text/plain; charset=Windows-1255", String.Encoding(rawValue: 0x8000_0505)),
            ("text/plain; charset=ISO-8859-15", String.Encoding(rawValue: 0x8000_020F)),
        ]
        for (type, encoding) in cases {
            #expect(
                String.Encoding(of: try head(type.map { [("Content-Type", $0)] } ?? [])) == encoding, "\(type ?? "")")
        }
    }

    @Test func `S27: how a response continues a file`() throws {
        let cases: [(Int, String?, Int64, Continuation)] = [
            (200, nil, 0, .replaces), (206, "bytes 95-162/163", 95, .appends), (200, nil, 95, .replaces),
            (206, nil, 95, .mismatch), (206, "bytes 0-162/163", 95, .mismatch),
            (206, "bytes 950-962/963", 95, .mismatch),
            (416, "bytes */95", 95, .mismatch), (404, nil, 95, .unrelated), (404, nil, 0, .replaces),
        ]
        for (status, range, offset, expected) in cases {
            let head = try head(range.map { [("Content-Range", $0)] } ?? [], status)
            #expect(Continuation(head, offset: offset) == expected, "\(status) \(range ?? "")")
        }
    }
}
