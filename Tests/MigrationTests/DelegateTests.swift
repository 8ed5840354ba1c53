import Testing

@testable import PatchbayMigration

/// Methods of the app that the facades call.
@Suite struct DelegateTests {
    private func verdict(_ method: String, of name: String, in head: String) -> [String] {
        Report(texts: [("App.swift", "\(head) {\n\(method) {}\n}")]).findings
            .filter { $0.name == name }.map(\.verdict.kind.rawValue)
    }

    @Test(arguments: [
        ("SDMHttpRequest", "works"), ("SDMHttpRequest!", "works"), ("SDMHttpRequest?", "works otherwise"),
        ("Optional<SDMHttpRequest>", "works otherwise"), ("Request!", "works"), ("SDMRequesting", "works otherwise"),
        ("SDMRequesting!", "works otherwise"), ("Requesting!", "works otherwise"),
        ("SDMFormDataRequest", "works otherwise"),
    ])
    func `SAP calls methods with plain or unwrapped requests, and none with optional ones or another type`(
        type: String, expected: String
    ) {
        let name = "SDMHttpRequestDelegate.requestFinished(_:)"
        let method = "func requestFinished(_ request: \(type))"
        #expect(verdict(method, of: name, in: "final class A: SDMHttpRequestDelegate") == [expected])
    }

    @Test(arguments: [
        ("request(_ request: SDMHttpRequest, didReceive data: Data)", "request(_:didReceive:)", "works"),
        ("request(_ request: SDMHttpRequest!, didReceive data: Data!)", "request(_:didReceive:)", "works"),
        ("request(_ request: SDMHttpRequest!, didReceive data: Data)", "request(_:didReceive:)", "works otherwise"),
        ("request(_ request: SDMHttpRequest?, didReceive data: Data?)", "request(_:didReceive:)", "works otherwise"),
        ("request(_ request: SDMHttpRequest, willRedirectTo url: URL)", "request(_:willRedirectTo:)", "works"),
        ("request(_ r: SDMHttpRequest!, willRedirectTo url: URL!)", "request(_:willRedirectTo:)", "works otherwise"),
        ("request(_ r: SDMHttpRequest, willRedirectTo url: NSURL)", "request(_:willRedirectTo:)", "works otherwise"),
    ])
    func `SAP calls no method with another mix of types`(method: String, name: String, expected: String) {
        let head = "final class A: SDMHttpRequestDelegate"
        #expect(verdict("func \(method)", of: "SDMHttpRequestDelegate.\(name)", in: head) == [expected])
    }

    @Test func `a method that SAP does not call has the types in its advice`() {
        let text = "final class A: SDMHttpRequestDelegate { func requestFailed(_ request: SDMHttpRequest?) {} }"
        let advice = Report(texts: [("App.swift", text)]).findings.compactMap(\.verdict.advice)
        #expect(advice.count == 1 && advice[0].contains("takes (SDMHttpRequest) or (SDMHttpRequest!) in the module"))
    }

    @Test(arguments: [
        ("WLResponse!", "works"), ("WLResponse?", "works otherwise"), ("WLResponse", "works otherwise"),
    ])
    func `a delegate of MobileFirst has unwrapped parameters`(type: String, expected: String) {
        let method = "func onSuccess(_ response: \(type))"
        #expect(verdict(method, of: "WLDelegate.onSuccess(_:)", in: "class A: WLDelegate") == [expected])
    }

    @Test(arguments: [
        ("SecurityCheckChallengeHandler", "handleChallenge(_ challenge: [AnyHashable: Any])", "works otherwise"),
        ("SecurityCheckChallengeHandler", "handleChallenge(_ challenge: [AnyHashable: Any]?)", "works"),
        ("SecurityCheckChallengeHandler", "handleChallenge(_ challenge: [AnyHashable: Any]!)", "works"),
        ("GatewayChallengeHandler", "canHandleResponse(_ response: WLResponse)", "works otherwise"),
        ("GatewayChallengeHandler", "canHandleResponse(_ response: WLResponse!)", "works"),
        ("GatewayChallengeHandler", "onFailure(_ response: WLFailResponse)", "works otherwise"),
        ("GatewayChallengeHandler", "onFailure(_ response: WLResponse!)", "works"),
        ("GatewayChallengeHandler", "onSuccess(_ response: WLFailResponse!)", "works otherwise"),
        ("GatewayChallengeHandlerSwift", "canHandleResponse(response: WLResponse)", "works"),
        ("GatewayChallengeHandlerSwift", "canHandleResponse(response: WLResponse?)", "works"),
        ("AKTextHTTPResponseHandler", "responseDidFail(_ error: AKError, text: String)", "works otherwise"),
        ("AKTextHTTPResponseHandler", "responseDidFail(_ error: AKError!, text: String!)", "works"),
    ])
    func `an override has an optional where the module has one, and may have others and supertypes`(
        type: String, method: String, expected: String
    ) {
        let text = "class A: \(type) {\noverride func \(method) {}\n}"
        let base = method.prefix { $0 != "(" }
        let findings = Report(texts: [("App.swift", text)]).findings.filter { $0.name.contains(".\(base)(") }
        #expect(findings.map(\.verdict.kind.rawValue) == [expected])
        if case .otherwise(let link, _)? = findings.first?.verdict {
            #expect(
                link == "Documentation/"
                    + (type.hasPrefix("AK") ? "Akula.md#names" : "MobileFirst.md#source-differences"))
        }
    }

    @Test(arguments: [
        "extension Account: AKHTTPResponseDelegate", "extension Screens.Account: AKHTTPResponseDelegate",
        "final class List<Row: Codable>: Base, AKHTTPResponseDelegate",
    ])
    func `a conformance is read in an extension, and after generic parameters`(head: String) {
        let name = "AKHTTPResponseDelegate.responseDidFail(_:response:)"
        let method = "func responseDidFail(_ error: NSError!, response: AKHTTPResponse!)"
        #expect(verdict(method, of: name, in: head) == ["works otherwise"])
    }

    @Test(arguments: [
        "class A: Base, SDMHttpRequestDelegate {}\nextension A", "extension A: SDMHttpRequestDelegate {}\nclass A",
        "extension A: SDMHttpRequestDelegate {}\nextension A where B: C",
        "struct Other {}\nclass A: SDMHttpRequestDelegate",
    ])
    func `a method is checked in each extension of a type that conforms elsewhere in the file`(head: String) {
        let method = "func requestFinished(_ request: SDMHttpRequest?)"
        #expect(verdict(method, of: "SDMHttpRequestDelegate.requestFinished(_:)", in: head) == ["works otherwise"])
    }

    @Test(arguments: [("", "works otherwise"), ("override ", "works")])
    func `a method that a subclass of the conforming class adds is not called`(modifier: String, expected: String) {
        let head = "class Base: SDMHttpRequestDelegate {}\nclass A: Base"
        let method = "\(modifier)func requestFinished(_ request: SDMHttpRequest)"
        #expect(verdict(method, of: "SDMHttpRequestDelegate.requestFinished(_:)", in: head) == [expected])
    }

    @Test func `a method of another type than the one that conforms is not checked`() {
        let head = "class A: SDMHttpRequestDelegate {}\nextension B"
        let method = "func requestFinished(_ request: SDMHttpRequest?)"
        #expect(verdict(method, of: "SDMHttpRequestDelegate.requestFinished(_:)", in: head) == [])
    }
}
