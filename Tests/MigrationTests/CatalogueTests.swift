import Foundation
import Testing

@testable import PatchbayMigration

@Suite struct CatalogueTests {
    @Test(arguments: [
        ("sendWithCompletionHandler:", "send(completionHandler:)"),
        ("initWithURL:method:", "init(url:method:)"),
        ("setDeviceDisplayName:WithCompletionHandler:", "setDeviceDisplayName(_:withCompletionHandler:)"),
        ("putValue:forKey:", "putValue(_:forKey:)"),
        ("requestMethod", "requestMethod"),
    ])
    func `a selector and what Swift makes of it are the same text`(selector: String, swift: String) {
        #expect(MemberName(selector[...]).flat == MemberName(swift[...]).flat)
    }

    @Test(arguments: [
        ("send()", "send(completionHandler:)", true), ("send(withBody:)", "send(withBody:completionHandler:)", true),
        ("get(_:delegate:)", "get(_:requestData:options:observer:delegate:)", true),
        ("get(_:data:)", "get(_:requestData:)", false), ("send(b:a:)", "send(a:b:)", false), ("url", "url", true),
    ])
    func `a call may leave out labels, in their order`(call: String, method: String, expected: Bool) {
        #expect(MemberName(call[...]).canCall(MemberName(method[...])) == expected)
    }

    @Test(arguments: [
        ("AKServerAgent", "Akula"), ("HHFWController", "HyperHive"), ("ORARequest", "OracleCX"),
        ("WLClient", "MobileFirst"),
        ("SDMHttpRequest", "SDMConnectivity"), ("DeltaStreamCallParams", "HyperHive"),
        ("SMPUserManager", "SDMConnectivity"),
    ])
    func `each vendor's types are in the catalogue`(name: String, vendor: String) throws {
        let known = try #require(Catalogue.standard.names[name])
        #expect(Catalogue.standard.vendors[known.vendor].name == vendor)
        #expect(known.isDistinctive)
    }

    @Test(arguments: ["Request", "GET", "Normal", "AccessToken", "RequestBuilder", "HTTP_METHOD_GET"])
    func `general names are known and not distinctive`(name: String) throws {
        #expect(try #require(Catalogue.standard.names[name]).isDistinctive == false)
    }

    @Test(arguments: ["URL", "Table", "Configuration", "HTTPAgent"])
    func `nested names, and those of the package alone, are no names of a vendor`(name: String) {
        #expect(Catalogue.standard.names[name] == nil)
    }

    @Test func `every note that is missing says what to do`() {
        for vendor in Catalogue.standard.vendors {
            for (name, note) in vendor.notes.merging(vendor.exactNotes, uniquingKeysWith: { first, _ in first }) {
                #expect(note.advice?.isEmpty == false, "\(vendor.name) \(name)")
            }
        }
    }

    @Test(arguments: [
        ("isAuthorizationRequiredForResponse:", "WLAuthorizationManager", "isAuthorizationRequired(for:)"),
        ("sendWithCompletionHandler:", "WLResourceRequest", "send(completionHandler:)"),
        ("sendWithDelegate:", "WLResourceRequest", "send(with:responseQueue:)"),
        ("sendWithBody:delegate:", "WLResourceRequest", "send(withBody:delegate:responseQueue:)"),
        ("sendWithTraces:level:", "WLResourceRequest", "send"),
        ("requestWithURL:method:", "WLResourceRequest", "an initializer"),
        ("setTimeOutSeconds:", "SDMHttpRequest", "the property timeOutSeconds"),
        ("startAsynchronous", "SUPRequest", "startAsynchronous()"),
        ("get:delegate:", "AKServerAgent", "get(_:requestData:options:observer:delegate:)"),
    ])
    func `an Objective-C call has the spelling of Swift`(selector: String, type: String, spelling: String) throws {
        let vendor = Catalogue.standard.vendors[try #require(Catalogue.standard.names[type]).vendor]
        #expect(vendor.objectiveCMember(MemberName(selector[...]), of: type)?.spelling == spelling)
    }

    @Test func `a word that only begins with a preposition is no label`() throws {
        let vendor = try #require(Catalogue.standard.vendors.first { $0.name == "MobileFirst" })
        #expect(vendor.objectiveCMember(MemberName("sendForm:"), of: "WLResourceRequest")?.isUnknown == true)
    }

    @Test(arguments: [
        (
            "obtainAccessTokenForScope(_:)", "WLAuthorizationManager",
            "obtainAccessToken(forScope:withCompletionHandler:)"
        ),
        ("wlConnectWithDelegate(_:)", "WLClient", "wlConnect(withDelegate:options:)"),
    ])
    func `a call in the spelling of old Swift has the name of now`(call: String, type: String, now: String) throws {
        let vendor = try #require(Catalogue.standard.vendors.first { $0.name == "MobileFirst" })
        #expect(
            vendor.swiftMember(MemberName(call[...]), of: type)?.verdict
                == .otherwise(link: "Documentation/MobileFirst.md#names", text: "write \(now)"))
    }

    /// The spellings compile, as the checks of the vendors show, so the tool must say of none that it does not.
    @Test(arguments: ["akula", "hyperhive", "mobilefirst", "ora", "sdm"])
    func `of the spellings that compile none is missing or needs a change of the call`(vendor: String) throws {
        let root = (0..<3).reduce(URL(filePath: #filePath).resolvingSymlinksInPath()) { url, _ in
            url.deletingLastPathComponent()
        }
        let text = try String(contentsOf: root.appending(path: ".ci/spellings/\(vendor).swift"), encoding: .utf8)
        let findings = Report(texts: [("App.swift", text)]).findings
        #expect(findings.count > 50)
        let errors = ["no overload", "never nil", "a property:"]
        let wrong = findings.filter { finding in
            finding.verdict.kind == .missing || errors.contains { finding.verdict.advice?.contains($0) == true }
        }
        #expect(wrong.map { "\($0.line) \($0.name)" } == [])
    }

    @Test func `a format of its own is read`() {
        let vendor = VendorCatalogue(
            """
            vendor Old
            guide Old.md
            prefixes OL
            imports OldKit
            objc Old.md#objective-c
            OLBase | copy()>Self
            OLCall : OLBase | send(to:)>OLCall url
            = OLCall.url | Old.md#urls | a text
            ~ OLCall.fetch(_:) | send(to:)
            - OLCall.stop() | | wait
            """)
        #expect(vendor.swiftMember(MemberName("copy()"), of: "OLCall")?.result == "OLCall")
        #expect(
            vendor.swiftMember(MemberName("url"), of: "OLCall")?.verdict
                == .otherwise(link: "Documentation/Old.md#urls", text: "a text"))
        #expect(vendor.swiftMember(MemberName("fetch(_:)"), of: "OLCall")?.result == "OLCall")
        #expect(vendor.swiftMember(MemberName("stop()"), of: "OLCall")?.verdict == .missing(link: "", text: "wait"))
        #expect(vendor.swiftMember(MemberName("other()"), of: "OLCall")?.isUnknown == true)
        #expect(vendor.objectiveCMember(MemberName("sendTo:"), of: "OLCall")?.spelling == "send(to:)")
    }
}
