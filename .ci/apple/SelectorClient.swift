// An app on Apple's platforms that calls by selectors: checked with Objective-C enabled, which Linux otherwise is not.
import Delegation
import Foundation
import ObjectiveC

@objc class Screen: NSObject {
    @objc func serviceDocFetchComplete(_ request: AnyObject) {}
    @objc func setProgress(_ progress: Float) {}
}

/// A class with the setter of a facade.
final class Request {
    private(set) var didFinishSelector = ""
    func setDidFinishSelector(_ selector: some CustomStringConvertible) { didFinishSelector = selector.description }
}

func start(for screen: Screen) throws {
    let request = Request()
    request.setDidFinishSelector(#selector(Screen.serviceDocFetchComplete(_:)))
    request.setDidFinishSelector("serviceDocFetchComplete:")
    try Selectors.perform(request.didFinishSelector, on: screen, with: [request])
    try Selectors.perform(#selector(Screen.setProgress(_:)).description, on: screen, with: [Float(1)])
}
