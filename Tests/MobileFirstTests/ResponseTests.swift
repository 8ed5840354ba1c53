import Foundation
import HTTPMessages
import MobileFirst
import PatchbayTestKit
import ResponseDecoding
import TestSupport
import Testing
import Transport
import VendorServices

@Suite(.needsSlot) struct ResponseTests {
    private let fixture = Fixture()

    @Test(arguments: [200, 201, 204, 299])
    func `M8: a status 2xx succeeds`(status: Int) async throws {
        let request = fixture.request("/adapters/Public/status/\(status)")
        let once = ExactlyOnce<Int>()
        request.send { response, error in
            #expect(error == nil)
            once.succeed(response?.status ?? 0)
        }
        let code = try await once.value
        #expect(code == status)
        try once.check()
    }

    @Test(arguments: [300, 400, 404, 500])
    func `M8: another status fails, with an error and the whole response`(status: Int) async throws {
        let request = fixture.request("/adapters/Public/status/\(status)")
        let once = ExactlyOnce<[String]>()
        request.send { response, error in
            let failed = response as? WLFailResponse
            #expect(failed?.status == status && failed?.responseText == #"{"status":\#(status)}"#)
            #expect(failed?.responseJSON?["status"] as? Int == status)
            #expect(failed?.headers?["Content-Type"] as? String == "application/json")
            #expect(failed?.errorCode == "SERVER_ERROR" && failed?.errorMsg != nil && failed?.error != nil)
            let error = error as NSError?
            once.succeed([error?.domain ?? "", "\(error?.code ?? 0)"])
        }
        let values = try await once.value
        #expect(values == ["WLClientErrorDomain", "4"])
        try once.check()
    }

    @Test func `M9: text and JSON of any body`() async throws {
        let text = try await fixture.request("/adapters/Public/text").send()
        #expect(text.responseText == "Grüße" && text.responseJSON == nil)
        let array = try await fixture.request("/adapters/Public/array").send()
        #expect(array.responseJSON == nil && array.responseText == "[1,2,3]")
        #expect(try array.decode(.json([Int].self)) == [1, 2, 3])
        let empty = try await fixture.request("/adapters/Public/status/204").send()
        #expect(empty.responseJSON == nil && empty.responseText == "" && empty.responseData == Data())
        let invalid = try await fixture.request("/adapters/Public/invalid").send()
        #expect(invalid.responseText == "a\u{FFFD}b" && invalid.responseData == Data([0x61, 0xFF, 0x62]))
    }

    @Test(arguments: [JSONValue?.some(0), .some(-5), .some("soon"), .none])
    func `M9: any expires_in is survived`(lifetime: JSONValue?) async throws {
        fixture.service.overrideTokenResponses(["expires_in": lifetime])
        #expect(try await fixture.request("/adapters/Secure/echo").send().status == 200)
    }

    @Test func `M11: an unreachable server is code 2, for a request and for a login`() async throws {
        let client = WLClient.scripted(ScriptedTransport([], then: .failure(.connectionRefused)))
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .unresponsiveHost && error?.errorCode == 2 && error?.vendorCode == "UNRESPONSIVE_HOST")
        let login = await failure { () throws(WLError) in
            try await client.authorizationManager.login("PinCode", withCredentials: ["pin": "1"])
        }
        #expect(login?.errorCode == 2)
        let once = ExactlyOnce<Int>()
        request.send { response, error in
            #expect(response is WLFailResponse && (error as? WLError)?.code == .unresponsiveHost)
            once.succeed(response?.status ?? -1)
        }
        let status = try await once.value
        #expect(status == 0)
    }

    @Test func `a procedure succeeds only with isSuccessful`() async throws {
        for (isRight, parameters) in [(true, [1, "two"] as [Any]), (false, [])] {
            let data = WLProcedureInvocationData(adapterName: "Js", procedureName: isRight ? "add" : "missing")
            data.parameters = parameters
            let delegate = ProcedureDelegate()
            fixture.client.invokeProcedure(data, withDelegate: delegate, options: ["invocationContext": "mine"])
            let result = try await delegate.once.value
            #expect(result == (isRight ? #"success [1,"two"] mine"# : "failure 404 mine"))
            try delegate.once.check()
        }
    }

    @Test(arguments: [["isSuccessful": false, "errors": ["full", 7]], ["isSuccessful": "true"], [:]] as [JSONValue])
    func `a procedure fails without isSuccessful, also with status 200`(body: JSONValue) async throws {
        let client = WLClient.scripted(ScriptedTransport([], then: .json(body)))
        let delegate = ProcedureDelegate()
        client.invokeProcedure(
            WLProcedureInvocationData(adapterName: "Js", procedureName: "add"), withDelegate: delegate)
        #expect(try await delegate.once.value == "failure 200 ")
        let failure = try #require(delegate.failure.value)
        #expect(failure.errorCode == "PROCEDURE_ERROR" && failure.clientErrorCode == .procedureError)
        let isReported = body["errors"] != nil
        #expect(WLFailResponse.getErrorMessage(fromJSON: failure.responseJSON) == (isReported ? "full; 7" : nil))
        #expect(
            WLFailResponse.getWLErrorCode(fromJSON: failure.responseJSON)
                == (isReported ? .procedureError : .unexpectedError))
    }

    @Test func `wlConnect registers the app, and reports a failure`() async throws {
        for isReachable in [true, false] {
            let offline = WLClient.scripted(ScriptedTransport([], then: .failure(.connectionRefused)))
            let client: any Connecting = isReachable ? fixture.client : offline
            let delegate = ProcedureDelegate()
            _ = client.wlConnect(withDelegate: delegate, options: nil)
            #expect(try await delegate.once.value == (isReachable ? "success  " : "failure 0 "))
            #expect(isReachable || delegate.failure.value?.clientErrorCode == .submitFailure)
        }
        #expect(fixture.service.counts.registrations == 1)
    }

    @Test func `a procedure's timeout is in milliseconds`() async throws {
        let transport = ScriptedTransport([], then: .json(["isSuccessful": true]))
        let client = WLClient.scripted(transport)
        let data = WLProcedureInvocationData(adapterName: "Js", procedureName: "add")
        for (timeout, expected) in [
            (nil as Any?, Duration.seconds(10)), (2500, .milliseconds(2500)),
            (NSNumber(value: 1500), .milliseconds(1500)),
            (0, .seconds(30)),
        ] {
            let delegate = ProcedureDelegate()
            client.invokeProcedure(data, withDelegate: delegate, options: timeout.map { ["timeout": $0] })
            _ = try await delegate.once.outcome
            #expect(transport.requests.last?.options.timeouts.response == expected)
        }
        let count = transport.requests.count
        for timeout in ["soon", -1] as [Any] {
            let delegate = ProcedureDelegate()
            client.invokeProcedure(data, withDelegate: delegate, options: ["timeout": timeout])
            let text = try await delegate.once.value
            #expect(text == "failure 0 ")
        }
        #expect(transport.requests.count == count)
    }

    private final class ProcedureDelegate: WLDelegate {
        let once = ExactlyOnce<String>()
        let failure = Watched<WLFailResponse?>(nil)
        func onSuccess(_ response: WLResponse!) {
            let params = response.responseJSON?["params"] as? String ?? ""
            once.succeed("success \(params) \(response.invocationContext ?? "")")
        }
        func onFailure(_ response: WLFailResponse!) {
            failure.update { $0 = response }
            once.succeed("failure \(response.status) \(response.invocationContext ?? "")")
        }
    }

    @Test func `M8: a response over the limit is not an unresponsive host`() async throws {
        let transport = ScriptedTransport([], then: .response(.ok, body: Data(count: 100)))
        let client = WLClient.scripted(transport) { $0.maximumResponseBytes = 99 }
        let request = client.request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == .responseTooLarge && error?.errorCode == 4 && error?.vendorCode == "SERVER_ERROR")
        #expect(error?.response?.status == 200 && error?.response?.responseData?.isEmpty == true)
    }

    @Test(arguments: [
        ("application/json", Data([0xEF, 0xBB, 0xBF])), ("application/json; charset=utf-8", Data([0xEF, 0xBB, 0xBF])),
        ("application/json; charset=utf-16be", Data()), ("application/json", Data([0xFE, 0xFF])),
    ])
    func `JSON of another encoding is read`(type: String, mark: Data) throws {
        let text = #"{"successes":"ä"}"#
        let isUTF8 = mark.first == 0xEF
        let bytes = isUTF8 ? Data(text.utf8) : Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        let response = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": type]), body: mark + bytes,
            url: try #require(URL(string: "https://h/")))
        #expect(WLResponse(response).responseJSON?["successes"] != nil)
    }

    @Test func `M8: the error of a body that is not JSON does not quote it`() async throws {
        let text = ScriptedTransport([], then: .response(.ok, body: Data("the word is swordfish".utf8)))
        let request = WLClient.scripted(text).request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send(as: .json([Int].self)) }
        #expect(error?.code == .parse && error?.description.contains("swordfish") == false)
        let url = try #require(URL(string: "https://h/"))
        let page = HTTPResponse(
            status: .ok, fields: try HTTPFields(["Content-Type": "text/plain"]), body: Data("swordfish".utf8), url: url)
        let thrown = #expect(throws: WLError.self) { try WLResponse(page).decode(.json([Int].self)) }
        #expect(thrown?.message == "The body cannot be decoded: Expected JSON.")
        let layer = FakeTransport { _ in
            throw ResponseDecodingError(.unacceptableStatus, "200 OK: swordfish", response: page)
        }
        let refused = WLClient.scripted(layer).request("/adapters/A/p")
        let cause = await failure { () throws(WLError) in try await refused.send() }
        #expect(cause?.code == .parse && cause?.message == "200 OK")
    }

    @Test(arguments: [
        (TransportError.Code.tooManyRedirects, WLError.Code.status), (.redirectRefused, .status),
        (.undecodableContent, .parse), (.temporaryStorage, .file), (.connectionLost, .unresponsiveHost),
        (.truncated, .unresponsiveHost), (.tls, .unresponsiveHost),
    ])
    func `M11: only a missing response is an unresponsive host`(
        code: TransportError.Code, expected: WLError.Code
    ) async throws {
        let request = WLClient.scripted(ScriptedTransport([], then: .failure(code))).request("/adapters/A/p")
        let error = await failure { () throws(WLError) in try await request.send() }
        #expect(error?.code == expected)
    }
}

/// Calls the deprecated method without a warning.
private protocol Connecting {
    func wlConnect(withDelegate delegate: any WLDelegate, options: [AnyHashable: Any]!) -> WLCall
}

extension WLClient: Connecting {}
