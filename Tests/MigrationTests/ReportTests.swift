import Testing

@testable import PatchbayMigration

/// What the app declares itself, beside what it uses.
@Suite struct ReportTests {
    private static let call = """
        #import <Connectivity/HTTPRequest.h>
        @implementation App
        - (void)go { HTTPRequest *request = [[HTTPRequest alloc] initWithURL:url]; [request startAsynchronous]; }
        @end
        """

    private func names(_ texts: [(file: String, text: String)], in file: String) -> Set<String> {
        Set(Report(texts: texts).findings.filter { $0.file == file }.map(\.name))
    }

    @Test(arguments: [
        "@interface HTTPRequest : NSOperation\n@end", "@protocol RequestDelegate\n@end\n@interface Request\n@end",
    ])
    func `a header with the vendor's interfaces that the app does not implement is the vendor's`(header: String) {
        let texts = [("H/HTTPRequest.h", header), ("App.m", Self.call)]
        #expect(
            names(texts, in: "App.m") == [
                "import Connectivity", "HTTPRequest", "HTTPRequest.initWithURL:", "HTTPRequest.startAsynchronous",
            ])
        let problems = Report(texts: texts).problems
        #expect(problems.map(\.file) == ["H/HTTPRequest.h"])
        #expect(problems.first?.problem.text == "a header of the vendor; not counted")
    }

    @Test(arguments: [
        ("HTTPRequest.m", "#import \"HTTPRequest.h\"\n@implementation HTTPRequest\n@end"),
        ("Model.swift", "enum Model { struct HTTPRequest {} }"),
    ])
    func `a type that the app implements is its own, and the places of the name are a line of the report`(
        file: String, text: String
    ) {
        let header = ("HTTPRequest.h", "@interface HTTPRequest : NSObject\n@end")
        let texts = [header, (file, text), ("App.m", Self.call)]
        #expect(names(texts, in: "App.m") == ["import Connectivity"])
        let found = Report(texts: texts).problems.filter { $0.problem.text.hasPrefix("declares HTTPRequest") }
        #expect(found.count == 1 && found.first?.problem.text.contains(" 4 places ") == true, "\(found)")
    }

    @Test func `an implementation of a vendor's name by the app is read as the app's`() {
        let text = """
            #import "WLClient.h"
            @implementation FormDataRequest
            - (void)go { [[WLClient sharedInstance] logActivity:@"x"]; }
            @end
            """
        let header = (file: "FormDataRequest.h", text: "@interface FormDataRequest : NSObject\n@end")
        let place = "3 missing WLClient.logActivity:"
        let own = "#import \"FormDataRequest.h\"\n"
        #expect(Samples.places(text, file: "FormDataRequest.m", with: [header]).contains(place))
        #expect(Samples.places(own, file: "App.m", with: [header, ("FormDataRequest.m", text)]) == [])
        let report = Report(texts: [header, ("FormDataRequest.m", text)])
        #expect(!report.problems.contains { $0.problem.text.hasPrefix("a header of the vendor") })
    }

    @Test func `the name HTTPRequest needs a module of its own`() {
        let calls = "let request = HTTPRequest(url: url)\nrequest.startAsynchronous()"
        #expect(
            Samples.places("import Connectivity\n" + calls) == [
                "1 works otherwise import Connectivity", "2 works HTTPRequest.init(url:)",
                "2 works otherwise HTTPRequest", "3 works HTTPRequest.startAsynchronous()",
            ])
        let advice = Report(texts: [("A.swift", "import SDMConnectivity\n" + calls)]).findings.compactMap(
            \.verdict.advice)
        #expect(advice.count == 2 && advice.allSatisfy { $0.contains("import SDMConnectivityNames") }, "\(advice)")
        #expect(
            Samples.places("import SDMConnectivityNames\n" + calls) == [
                "1 works import SDMConnectivityNames", "2 works HTTPRequest", "2 works HTTPRequest.init(url:)",
                "3 works HTTPRequest.startAsynchronous()",
            ])
    }

    @Test(arguments: [
        ("A.m", "#define HTTP_METHOD_GET @\"GET\"\n[request setMethod:HTTP_METHOD_GET];"),
        ("A.m", "#define MAX_CONCURRENT_THREADS 4\nint count = MAX_CONCURRENT_THREADS;"),
        ("A.swift", "let REDIRECTION_LIMIT = 5\nfollow(REDIRECTION_LIMIT)"),
    ])
    func `constants of an app make it no user of an SDK`(file: String, text: String) {
        #expect(Report(texts: [(file, text)]).findings.isEmpty)
        let line = file == "A.m" ? "#import <Connectivity/Request.h>\n" : "import SDMConnectivity\n"
        #expect(Report(texts: [(file, line + text)]).findings.map(\.origin) == [.moduleImport])
    }

    @Test(arguments: [
        ("forScope scope: String, withCompletionHandler handler: Handler", "ambiguous"),
        ("of service: Service", "works"),
    ])
    func `a place without a type is ambiguous if the app declares a method that the call can mean`(
        parameters: String, expected: String
    ) {
        let own = ("Backend.swift", "struct Backend { func obtainAccessToken(\(parameters)) {} }")
        let text = "import MobileFirst\nb.agent.obtainAccessToken(forScope: \"a\", withCompletionHandler: { _, _ in })"
        let name = "obtainAccessToken(forScope:withCompletionHandler:)"
        #expect(Samples.places(text, with: [own]).contains("2 \(expected) \(name)"))
    }

    @Test func `only a method with the labels of the call makes a missing member ambiguous`() {
        let text = "[[WLClient sharedInstance] logActivity:@\"x\"];"
        let other = ("B.m", "@implementation B\n- (void)logActivity:(id)a at:(id)b {}\n@end")
        let same = ("B.m", "@implementation B\n- (void)logActivity:(id)a {}\n@end")
        #expect(Samples.places(text, file: "A.m", with: [other]).contains("1 missing WLClient.logActivity:"))
        #expect(Samples.places(text, file: "A.m", with: [same]).contains("1 ambiguous WLClient.logActivity:"))
    }
}
