public import Delegation

extension HHFWController {
    /// The controller of the process: that of ``configureShared(client:)``, else one with defaults.
    public static func sharedInstance() -> HHFWController { sharedControllerInstance.value }

    /// Sets the client of the shared controller, once, before the first call of ``sharedInstance()``.
    ///
    /// ```swift
    /// try HHFWController.configureShared(client: HyperHive(transport: layers, wire: OwnWire()))
    /// ```
    /// - Throws: ``/Delegation/FacadeConfigurationError`` (`alreadyConfigured`, `alreadyInUse`); nothing changes then.
    public static func configureShared(client: HyperHive) throws(FacadeConfigurationError) {
        try sharedControllerInstance.configure { HHFWController(client: client) }
    }
}

private let sharedControllerInstance = SharedInstance(
    "The shared controller", configuredBy: "HHFWController.configureShared",
    before: "the first call of sharedInstance()"
) { HHFWController(client: HyperHive()) }
