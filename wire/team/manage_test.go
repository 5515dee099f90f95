package team_test

import (
	"testing"

	"touchline/wire/team"
)

func TestImage(t *testing.T) { testVectors[team.Image](t, "image", team.TypeImage) }

func TestParameters(t *testing.T) { testVectors[team.Parameters](t, "parameters", team.TypeParameters) }

func TestDrive(t *testing.T) { testVectors[team.Drive](t, "drive", team.TypeDrive) }

func TestKickCheck(t *testing.T) { testVectors[team.KickCheck](t, "kickcheck", team.TypeKickCheck) }

func TestLocomotionCheck(t *testing.T) {
	testVectors[team.LocomotionCheck](t, "locomotioncheck", team.TypeLocomotionCheck)
}

func TestAttend(t *testing.T) { testVectors[team.Attend](t, "attend", team.TypeAttend) }

func TestManagement(t *testing.T) { testVectors[team.Management](t, "management", team.TypeManagement) }

func TestChallenge(t *testing.T) { testVectors[team.Challenge](t, "challenge", team.TypeChallenge) }

func TestRequest(t *testing.T) { testVectors[team.Request](t, "request", team.TypeRequest) }

func TestAnswer(t *testing.T) { testVectors[team.Answer](t, "answer", team.TypeAnswer) }

func TestOverlay(t *testing.T) { testVectors[team.Overlay](t, "overlay", team.TypeOverlay) }

func TestScene(t *testing.T) { testVectors[team.Scene](t, "scene", team.TypeScene) }

func FuzzScene(f *testing.F) { fuzz[team.Scene](f, "scene", team.TypeScene) }

func FuzzOverlay(f *testing.F) { fuzz[team.Overlay](f, "overlay", team.TypeOverlay) }

func FuzzImage(f *testing.F) { fuzz[team.Image](f, "image", team.TypeImage) }

func FuzzParameters(f *testing.F) { fuzz[team.Parameters](f, "parameters", team.TypeParameters) }

func FuzzDrive(f *testing.F) { fuzz[team.Drive](f, "drive", team.TypeDrive) }

func FuzzKickCheck(f *testing.F) { fuzz[team.KickCheck](f, "kickcheck", team.TypeKickCheck) }

func FuzzLocomotionCheck(f *testing.F) {
	fuzz[team.LocomotionCheck](f, "locomotioncheck", team.TypeLocomotionCheck)
}

func FuzzAttend(f *testing.F) { fuzz[team.Attend](f, "attend", team.TypeAttend) }

func FuzzManagement(f *testing.F) { fuzz[team.Management](f, "management", team.TypeManagement) }

func FuzzChallenge(f *testing.F) { fuzz[team.Challenge](f, "challenge", team.TypeChallenge) }

func FuzzRequest(f *testing.F) { fuzz[team.Request](f, "request", team.TypeRequest) }

func FuzzAnswer(f *testing.F) { fuzz[team.Answer](f, "answer", team.TypeAnswer) }
