package dev.redline.samples.jakarta;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** The REST application, at the root of its server. */
@ApplicationPath("/")
public class JakartaSampleApplication extends Application {}
