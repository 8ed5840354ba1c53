import Testing

@testable import PatchbayMigration

/// Classes of the app that inherit from those of a vendor.
@Suite struct SubclassTests {
    @Test(arguments: [
        ("SDMHttpRequest", "func buildPostBody()", "works", "buildPostBody()"),
        ("SDMHttpRequest", "func copy(with zone: NSZone? = nil) -> Any", "works", "copy(with:)"),
        ("SDMHttpRequest", "func cancel()", "works otherwise", "cancel()"),
        ("SDMHttpRequest", "init(url: URL!)", "works otherwise", "init(url:)"),
        ("SDMHttpRequest", "init(url: URL?, session: SDMSession)", "works", "init(url:session:)"),
        ("SDMFormDataRequest", "init(url: URL?, session: SDMSession)", "works", "init(url:session:)"),
        ("SDMHttpRequest", "var responseString: String!", "works otherwise", "responseString"),
        (
            "SDMFormDataRequest", "func addPostValue(_ v: Any!, forKey k: String!)", "works otherwise",
            "addPostValue(_:forKey:)"
        ),
        (
            "AKJSONHTTPResponseHandler", "func onObject(_ o: Any?, statusCode: Int)", "works otherwise",
            "onObject(_:statusCode:)"
        ),
        (
            "AKJSONHTTPResponseHandler", "func responseDidFail(_ e: AKError, response: AKHTTPResponse?)",
            "works otherwise", "responseDidFail(_:response:)"
        ),
        (
            "AKTextHTTPResponseHandler", "func onSuccess(_ t: String, statusCode: Int)", "works otherwise",
            "onSuccess(_:statusCode:)"
        ),
        ("AKTextHTTPResponseHandler", "func responseDone()", "works", "responseDone()"),
        ("SDMHttpRequest", "func requestFinished()", "missing", "requestFinished()"),
        ("SDMHttpRequest", "func failWithError(_ error: NSError!)", "missing", "failWithError(_:)"),
        ("SDMHttpRequest", "var isExecuting: Bool", "missing", "isExecuting"),
    ])
    func `an override works if the module has it as open, and is missing if it does not have it`(
        superclass: String, declaration: String, expected: String, name: String
    ) {
        let places = Samples.places("class A: \(superclass) {\noverride \(declaration) {}\n}")
        let overrides = places.filter { $0.hasSuffix(" \(superclass).\(name)") }
        #expect(overrides == ["2 \(expected) \(superclass).\(name)"], "\(places)")
    }

    @Test(arguments: [
        ("init(url: URL!)", "override init(url:session:)"), ("func cancel()", "it is not open"),
    ])
    func `an override that does not work has what to do instead`(declaration: String, advice: String) {
        let text = "class A: SDMHttpRequest { override \(declaration) {} }"
        let found = Report(texts: [("App.swift", text)]).findings.compactMap(\.verdict.advice)
        #expect(
            found.count == 1 && found[0].contains("\(advice); see Documentation/Migrating.md#subclasses"), "\(found)")
    }

    @Test(arguments: [
        ("ORARequest", "works otherwise"), ("ORAHTTPManager", "works otherwise"), ("WLClient", "works otherwise"),
        ("ORABaseDataContainer", "works"), ("WLResourceRequest", "works"), ("SDMHttpRequestDelegate", "works"),
    ])
    func `a class that is not open is no superclass`(name: String, expected: String) {
        #expect(Samples.places("final class A: \(name) {}") == ["1 \(expected) \(name)"])
        #expect(Samples.places("struct A { var value: \(name)? }") == ["1 works \(name)"])
    }

    @Test func `a method of a nested class is not one of the vendor's`() {
        let text = "class A: SDMHttpRequest {\nclass B: View {\noverride func layoutSubviews() { cancel() }\n}\n}"
        #expect(Samples.places(text) == ["1 works SDMHttpRequest"])
    }

    @Test func `a call of super is one of the vendor's class`() {
        let text = "class A: SDMHttpRequest {\nfunc go() { super.requestFinished(); super.startAsynchronous() }\n}"
        #expect(
            Samples.places(text) == [
                "1 works SDMHttpRequest", "2 missing SDMHttpRequest.requestFinished()",
                "2 works SDMHttpRequest.startAsynchronous()",
            ])
        let other = "class A: View, SDMHttpRequestDelegate {\nfunc go() { super.requestFinished(self) }\n}"
        #expect(!Samples.places(other).contains { $0.contains("missing") })
        let objectiveC = """
            @interface A : SDMHttpRequest
            @end
            @implementation A
            - (void)requestFinished { [super requestFinished]; }
            @end
            """
        #expect(Samples.places(objectiveC, file: "A.m").contains("4 missing SDMHttpRequest.requestFinished"))
    }

    @Test(arguments: ["Upload", "Large"])
    func `calls on a subclass of the same file are those of the vendor's class`(name: String) {
        let text = """
            class Large: Upload {}
            class Upload: SDMHttpRequest { var mark = 1; func note() {} }
            let upload = \(name)(url: url)
            upload.mark = 2; upload.note()
            upload.abort(); upload.startAsynchronous()
            """
        #expect(
            Samples.places(text) == [
                "2 works SDMHttpRequest", "3 works SDMHttpRequest.init(url:)", "5 missing SDMHttpRequest.abort()",
                "5 works SDMHttpRequest.startAsynchronous()",
            ])
    }

    @Test func `so are those of Objective-C, also with the header of a file`() {
        let header = "@interface Upload : SDMFormDataRequest\n@property int mark;\n@end\n"
        let text = """
            @implementation Upload
            - (void)note {
                [self setMark:1]; [self setFoo:1];
                Upload *next = [[Upload alloc] initWithURL:nil];
                [next note]; [next startAsynchronous]; [next abort];
            }
            @end
            """
        let places = [
            "3 missing SDMFormDataRequest.setFoo:", "4 works otherwise SDMFormDataRequest.initWithURL:",
            "5 missing SDMFormDataRequest.abort", "5 works otherwise SDMFormDataRequest.startAsynchronous",
        ]
        #expect(Samples.places(text, file: "Upload.m", with: [("Upload.h", header)]) == places)
        let lines = Samples.places(header + text, file: "Upload.m").filter { !$0.hasPrefix("1 ") }
        #expect(lines.map { $0.drop { $0 != " " } } == places.map { $0.drop { $0 != " " } })
    }
}
