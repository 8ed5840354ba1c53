import Foundation
import Testing

@testable import TestSupport

@Suite struct BuiltProductsTests {
    private static let helper = "/Xcode/usr/libexec/swift/pm/swiftpm-testing-helper"
    private static let bundle = "/p/.build/debug/PatchbayPackageTests.xctest"
    private static let executable = bundle + "/Contents/MacOS/PatchbayPackageTests"

    @Test(
        arguments: [
            // Swift Testing on macOS.
            ([helper, "--test-bundle-path", executable, "--testing-library", "swift-testing"], []),
            ([helper, "--test-bundle-path=" + executable], ["/Xcode/Helper.app"]),
            // XCTest on macOS.
            (["/Xcode/usr/bin/xctest", bundle], [bundle]), (["/Xcode/usr/bin/xctest"], ["/Library/A.bundle", bundle]),
            // Linux, where the executable has the name of a bundle.
            ([bundle, "--testing-library", "swift-testing"], []), ([bundle], ["/p/.build/debug"]),
        ] as [([String], [String])])
    func `the executables are beside the tests`(arguments: [String], bundles: [String]) {
        let folder = BuiltProducts.folder(arguments: arguments, bundles: bundles)
        #expect(folder.path.hasSuffix("/p/.build/debug"), "\(folder.path)")
    }
}
