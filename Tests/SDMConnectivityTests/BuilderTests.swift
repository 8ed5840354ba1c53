import Delegation
import Foundation
import HTTPMessages
import PatchbayTestKit
import TestSupport
import Testing
import Transport

@testable import SDMConnectivity

@Suite(.needsSlot) struct BuilderTests {
    private func storage(_ stored: Watched<Int?>) -> SDMRequestTypeStorage {
        SDMRequestTypeStorage {
            stored.value
        } save: { number in
            stored.update { $0 = number }
        }
    }

    private func builder(
        _ stored: Watched<Int?> = Watched(nil), _ policy: SUPChannelPolicy = .rest
    ) -> SDMRequestBuilder {
        let session = SDMSession.test(ServiceTransport { $0.response(text: "ok") })
        return SDMRequestBuilder(session: session, storage: storage(stored), channelPolicy: policy)
    }

    private let url = URL(string: "http://example.com/")

    @Test func `S35: the default type is SUP`() {
        let builder = builder()
        #expect(builder.requestType == SUPRequestType)
        #expect(builder.request(with: url) is SUPRequest)
        #expect(SUPRequestType.rawValue == 0xFE && ODPRequestType == SUPRequestType && HTTPRequestType.rawValue == 0xFF)
    }

    @Test func `S35: the type is stored, and survives the builder`() throws {
        let stored = Watched<Int?>(nil)
        builder(stored).requestType = .http
        #expect(stored.value == 0xFF)
        let request = try builder(stored).makeRequest(url: url)
        #expect(type(of: request) == SDMHttpRequest.self)
        stored.update { $0 = 7 }
        #expect(builder(stored).requestType == .sup)
    }

    @Test func `S35: UserDefaults keeps the type under the vendor's key`() throws {
        let suite = "patchbay-tests-\(UUID().uuidString)"
        let defaults = try #require(UserDefaults(suiteName: suite))
        defer { defaults.removePersistentDomain(forName: suite) }
        let storage = SDMRequestTypeStorage.userDefaults(suiteName: suite)
        #expect(storage.load() == nil)
        storage.save(HTTPRequestType.rawValue)
        #expect(storage.load() == 0xFF)
        #expect(defaults.integer(forKey: "SDMConnectivityRequestTypeKey") == 0xFF)
    }

    @Test func `S35: without the channel a SUP request uses REST, or fails by policy`() async throws {
        let rest = try #require(try builder().makeRequest(url: url) as? SUPRequest)
        #expect(try await rest.response().status == .ok)

        let failing = builder(Watched(nil), .fail)
        let error = #expect(throws: SDMConnectivityException.self) { try failing.makeRequest(url: url) }
        #expect(error?.code == .supRequestInitError && error?.name == "SUPRequestInitError" && error?.statusCode == 0)
        let request = try #require(failing.request(with: url) as? SUPRequest)
        await #expect(throws: SDMError.self) { try await request.response() }
        #expect(request.error?.code == .internalErrorWhileBuildingRequest)
        #expect((request.error?.underlying as? SDMConnectivityException)?.code == .supRequestInitError)
        let copy = try #require(request.copy() as? SUPRequest)
        #expect(copy.channelPolicy == .fail && !copy.complete)
    }

    @Test func `S35: an unknown number is an error`() {
        let error = #expect(throws: SDMConnectivityException.self) {
            try SDMRequestBuilder.setRequestType(number: 3)
        }
        #expect(error?.code == .invalidRequestType && error?.name == "InvalidRequestType")
        #expect(error?.detailedError == error?.message)
    }

    @Test func `S34: the error of too many threads has the vendor's name`() {
        let error = SDMConnectivityException.threadCountTooHigh(6)
        #expect(error.name == "ThreadCountTooHigh" && error.message.contains("6") && MAX_CONCURRENT_THREADS == 5)
    }

    @Test func `S35: a request with a cache`() {
        let builder = builder()
        let request = builder.request(
            with: url, usingCache: builder.session.downloadCache, andCachePolicy: .useCacheIfLoadFails)
        #expect(request.downloadCache === builder.session.downloadCache)
        #expect(request.cachePolicy == .useCacheIfLoadFails)
    }

    @Test func `settings of a session: token guard off, trace level medium`() {
        let session = builder().session
        #expect(!session.isXCSRFEnabled && session.traceLevel == .medium && session.sapClient == nil)
        #expect(SDMTraceLevel.low.rawValue == 1 && session.clientConnection == nil)
    }

    // MARK: Language

    @Test(arguments: [
        ("http://h/s/", "http://h/s/?sap-language=EN"), ("http://h/s?a=1", "http://h/s?a=1&sap-language=EN"),
        ("http://h/s?a=1?sap-language=DE", "http://h/s?a=1&sap-language=EN"),
        ("http://h/s?sap-language=DE&a=%20", "http://h/s?a=%20&sap-language=EN"),
        ("http://h/s?#f", "http://h/s?sap-language=EN#f"),
    ])
    func `S37: sap-language has one question mark, and is appended to a query`(url: String, expected: String) throws {
        #expect(try #require(URL(string: url)).withSAPLanguage("EN").absoluteString == expected)
    }

    @Test func `S37: the language field is sent unless it is off, and sap-client if it is set`() async throws {
        let seen = Watched<[[String?]]>([])
        let session = SDMSession.test(
            ServiceTransport { request in
                seen.update { $0.append([request.fields["Accept-Language"], request.fields["sap-client"]]) }
                return request.response(text: "ok")
            })
        try await session.get(url).response()
        let silent = session.get(url)
        silent.shouldAutosetLanguage = false
        session.sapClient = "100"
        try await silent.response()
        let own = session.get(url)
        own.addRequestHeader("SAP-Client", value: "200")
        try await own.response()
        #expect(seen.value == [["en", nil], [nil, "100"], ["en", "200"]])
    }
}
